/* Words for choices. */
#include "core/words.h"

#include <stddef.h>

const char *const recipe_words[] = {"robust", "map", "paper", NULL};
const char *const model_words[] = {"wgplvm", "gplvm", NULL};
const char *const kernel_words[] = {"se", "matern32", "matern52", "linear", NULL};
const char *const noise_words[] = {"kronecker", "per-output", NULL};
const char *const task_words[] = {"profile", "learned", NULL};
const char *const inference_words[] = {"auto", "exact", "inducing", NULL};
const char *const optimiser_words[] = {"lbfgs", "adam", NULL};
