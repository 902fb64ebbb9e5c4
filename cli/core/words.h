/* The words for choices, by the values of their enumerations: what options take and what is printed. */
#ifndef RM2_CLI_WORDS_H
#define RM2_CLI_WORDS_H

/* Each ends with NULL. */
extern const char *const recipe_words[];    /* rm2_recipe */
extern const char *const model_words[];     /* rm2_model_kind */
extern const char *const kernel_words[];    /* rm2_latent_kind */
extern const char *const noise_words[];     /* rm2_noise_kind */
extern const char *const task_words[];      /* rm2_task_kind */
extern const char *const inference_words[]; /* rm2_inference */
extern const char *const optimiser_words[]; /* rm2_optimiser */

#endif
