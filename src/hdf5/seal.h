/* The seal of a model file (seal.c). */
#ifndef RM2I_HDF5_SEAL_H
#define RM2I_HDF5_SEAL_H

#include "base/base.h"
#include "hdf5/bytes.h"

#define RM2I_H5_SEAL_MAGIC "RIEMANN2" /* first bytes of a model file */

/* Fill the block at the beginning of a complete file of `size` bytes. */
void rm2i_h5_seal(unsigned char *bytes, uint64_t size);
/* The same of a file that is written in pieces: the block without its checksum first, then the sum (from 0) over the block
 * and all that follows, which completes the block. */
void rm2i_h5_seal_begin(unsigned char block[RM2I_H5_BLOCK], uint64_t size);
uint32_t rm2i_h5_seal_sum(uint32_t sum, const void *bytes, size_t size);
void rm2i_h5_seal_end(unsigned char block[RM2I_H5_BLOCK], uint32_t sum);

/* Does this block, of which `got` bytes are there, belong to a model file of `size` bytes? And are
 * these the bytes that were sealed? */
rm2_status rm2i_h5_check_block(rm2_context *ctx, const char *name, const unsigned char *block,
                               size_t got, uint64_t size);
rm2_status rm2i_h5_check_seal(rm2_context *ctx, const char *name, const unsigned char *bytes,
                              uint64_t size);

#endif
