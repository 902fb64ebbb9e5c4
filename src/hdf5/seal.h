/* The seal of a model file (seal.c). */
#ifndef RM2I_HDF5_SEAL_H
#define RM2I_HDF5_SEAL_H

#include "base/base.h"
#include "hdf5/bytes.h"

#define RM2I_H5_SEAL_MAGIC "RIEMANN2" /* first bytes of a model file */

/* Fill the block at the beginning of a complete file of `size` bytes. */
void rm2i_h5_seal(unsigned char *bytes, uint64_t size);
/* The same of a file that is written in pieces: the block without its checksum first, then the sum (from 0) over the block
 * and all that follows, which completes the block. `front` bytes are in front of what comes in pieces. */
void rm2i_h5_seal_begin(unsigned char block[RM2I_H5_BLOCK], uint64_t size, uint64_t front);
uint32_t rm2i_h5_seal_sum(uint32_t sum, const void *bytes, size_t size);
void rm2i_h5_seal_end(unsigned char block[RM2I_H5_BLOCK], uint32_t sum);

/* Bytes in front of the array that came in pieces; of other files `size`, all of them. */
uint64_t rm2i_h5_seal_front(const unsigned char block[RM2I_H5_BLOCK], uint64_t size);
/* The sum over the first `size` bytes of a file as the seal counts them, without its own. */
uint32_t rm2i_h5_seal_sum_front(const unsigned char *bytes, size_t size);

/* Does this block, of which `got` bytes are there, belong to a model file of `size` bytes? And is this the sum that was
 * sealed? */
rm2_status rm2i_h5_check_block(rm2_context *ctx, const char *name, const unsigned char *block,
                               size_t got, uint64_t size);
rm2_status rm2i_h5_check_seal(rm2_context *ctx, const char *name,
                              const unsigned char block[RM2I_H5_BLOCK], uint32_t sum);

#endif
