/* riemann2: low-dimensional Riemannian submanifolds from Riemannian data. This header includes the
 * whole public API of the core library. riemann2/plot.h (figures) belongs to the library
 * riemann2-plot, and riemann2/mpi.h (MPI) to the library riemann2-mpi. */
#ifndef RIEMANN2_H
#define RIEMANN2_H

#include "riemann2/base.h"
#include "riemann2/blas.h"
#include "riemann2/communicator.h"
#include "riemann2/covariance.h"
#include "riemann2/cross.h"
#include "riemann2/data.h"
#include "riemann2/eval.h"
#include "riemann2/figure.h"
#include "riemann2/fit.h"
#include "riemann2/geodesic.h"
#include "riemann2/geometry.h"
#include "riemann2/io.h"
#include "riemann2/kernel.h"
#include "riemann2/latent.h"
#include "riemann2/manifold.h"
#include "riemann2/meet.h"
#include "riemann2/metric.h"
#include "riemann2/model.h"
#include "riemann2/optim.h"
#include "riemann2/planner.h"
#include "riemann2/region.h"
#include "riemann2/report.h"
#include "riemann2/robot.h"
#include "riemann2/settings.h"
#include "riemann2/space.h"
#include "riemann2/statistics.h"
#include "riemann2/trajectory.h"

#endif
