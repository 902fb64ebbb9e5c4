/* The kinds of models: every recipe, and each setting changed once. */
#ifndef MODEL_VARIANTS_H
#define MODEL_VARIANTS_H

#include "riemann2/model.h"

typedef struct variant {
    const char *name;
    rm2_recipe recipe;
    void (*change)(rm2_fit_settings *s);
    size_t latent_dim;
} variant;

enum { VARIANTS = 24 };
extern const variant variants[VARIANTS];

rm2_fit_settings settings_of(const variant *v, size_t iterations);

/* Changes: none, raw ambient coordinates, a noise for each output, ... */
void use_recipe(rm2_fit_settings *s);
void use_euclidean(rm2_fit_settings *s);
void use_own_noise(rm2_fit_settings *s);
void use_independent_own_noise(rm2_fit_settings *s);
void use_matern52(rm2_fit_settings *s);

#endif
