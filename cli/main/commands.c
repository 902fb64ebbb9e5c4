/* The commands, and which of them runs. */
#include "main/commands.h"

#include <string.h>

#include "core/settings.h"

#define COMMAND(name) name, "riemann2 " name

static const command commands[] = {
    {COMMAND("check"), "check a data set and report what to fix", run_check,
     "FILE --manifold SPEC [options]",
     "  riemann2 check demos.csv --manifold \"R3 x S3\" --group demo\n"
     "  riemann2 check tasks.npy --manifold \"R3 x S3\" --quat-order wxyz\n"
     "  riemann2 check fnc.csv --manifold SPD28 --label Id --spd-layout upper --unit-diagonal\n"},
    {COMMAND("covariance"), "compute covariance matrices of signals, by subject, window or event",
     run_covariance, "FILE... [-o FILE] [options]",
     "  riemann2 covariance sub-*.csv --labels participants.tsv --label group -o subjects.npz\n"
     "  riemann2 covariance eeg.csv --window 2 --step 1 --rate 250 --label task -o windows.csv\n"
     "  riemann2 covariance eeg.npz --events onset --window 1 --offset -0.2 --rate 500 -o "
     "trials.npz\n"},
    {COMMAND("generate"), "write an example data set", run_generate, "NAME -o FILE [options]",
     "  riemann2 generate toy -o toy.csv\n"
     "  riemann2 generate robot -o robot.npz --seed 7\n"},
    {COMMAND("fit"), "train a model on a data set", run_fit,
     "FILE --manifold SPEC -o MODEL [options]",
     "  riemann2 fit demos.csv --manifold \"R3 x S3\" --group demo -o model.npz\n"
     "  riemann2 fit demos.csv --manifold \"R3 x S3\" --group demo --holdout 2 --gpdm -o "
     "model.npz\n"
     "  riemann2 fit long.csv --manifold SPD15 -o model.npz --checkpoint state.npz --resume\n"
     "  riemann2 fit demos.csv --manifold \"R3 x S3\" -o model.npz --base-point 0,0,0.4,1,0,0,0\n"
     "  riemann2 fit demos.csv --manifold \"R3 x S3\" -o model.npz --set noise=0.01 \\\n"
     "      --learn lengthscale,noise --prior lengthscale=gamma:2:10,noise=lognormal:start:0.3\n"
     "  riemann2 fit --add new.csv --from model.npz --group demo -o more.npz\n"},
    {COMMAND("cv"), "compare settings on held-out data, by cross-validation", run_cv,
     "FILE --manifold SPEC [--latent 1,2,3] [--kernel se,matern52] [options]",
     "  riemann2 cv demos.csv --manifold \"R3 x S3\" --group demo --latent 1,2,3\n"
     "  riemann2 cv demos.csv --manifold \"R3 x S3\" --group demo --recipe robust,map \\\n"
     "      --set lengthscale=0.1,0.2,0.4 -o table.csv\n"
     "  riemann2 cv fnc.csv --manifold SPD28 --label site --split labels --latent 1,2,3,5 \\\n"
     "      --checkpoint jobs.csv --resume\n"
     "Values separated by commas are tried in all combinations.\n"},
    {COMMAND("info"), "show what a model file contains and how it was trained", run_info,
     "MODEL [--latents FILE] [--json]", "  riemann2 info model.npz --latents latents.csv\n"},
    {COMMAND("decode"), "map latent points to the manifold, with uncertainty", run_decode,
     "MODEL (LATENTS | --at Z1,Z2 | --train | --trajectory ID) [-o FILE]",
     "  riemann2 decode model.npz --at 0.1,-0.3\n"
     "  riemann2 decode model.npz path.csv -o motion.csv\n"},
    {COMMAND("encode"), "find the latent points of data, also with missing entries", run_encode,
     "MODEL FILE [-o FILE] [options]",
     "  riemann2 encode model.npz new.csv --group demo -o latents.csv\n"},
    {COMMAND("sample"), "draw random trajectories from a model", run_sample,
     "MODEL (LATENTS | --trajectory ID) [--count N] [-o FILE]",
     "  riemann2 sample model.npz --trajectory 0 --count 10 -o samples.csv\n"},
    {COMMAND("eval"), "evaluate trajectories, held-out data and calibration", run_eval,
     "MODEL [--reference FILE] [--trajectory FILE] [--holdout-file FILE] [options]",
     "  riemann2 eval model.npz --reference demos.csv --group demo --holdout 2\n"
     "  riemann2 eval model.npz --trajectory motion.csv --space tangent\n"
     "  riemann2 eval model.npz --holdout-file new.csv --group demo --latents-of 0 --json\n"},
    {COMMAND("robot"), "compute joint motions of an arm that follows a trajectory", run_robot,
     "track FILE --arm ARM [-o FILE] [options]",
     "  riemann2 decode model.npz path.csv -o motion.csv\n"
     "  riemann2 robot track motion.csv --arm panda -o joints.csv\n"
     "  riemann2 robot track motion.csv --arm planar:1,1,1,1 --place auto -o joints.csv\n"
     "  riemann2 robot track motion.csv --arm my_arm.csv --scale 0.1 --offset 0.4,0,0.3\n"
     "  riemann2 robot track motion.csv --urdf robot.urdf --base base_link --tip tool0 \\\n"
     "      --joint-trajectory motion.json\n"},
    {COMMAND("metric"), "compute the metric of the latent space and its magnification", run_metric,
     "MODEL (LATENTS | --at Z1,Z2 | --train | --trajectory ID | --on-grid) [-o FILE]",
     "  riemann2 metric model.npz --on-grid -o grid.csv\n"
     "  riemann2 metric model.npz --at 0.1,-0.3 --spread --contrast none\n"},
    {COMMAND("geodesic"), "compute the shortest path between two points and decode it",
     run_geodesic, "MODEL --from POINT --to POINT [-o FILE] [options]",
     "  riemann2 geodesic model.npz --from first:0 --to last:5 -o motion.csv\n"
     "  riemann2 geodesic model.npz --from 0.1,-0.3 --to 17 --through 1.2,0.4 --duration 4\n"
     "  riemann2 geodesic model.npz --from 0 --to 99 --avoid sphere,0.4,0.1,0.2,0.05 -o "
     "round.csv\n"},
    {COMMAND("distance"), "compute distances and medoids of points, latent or on the manifold",
     run_distance,
     "(MODEL (LATENTS | --train | --trajectory ID) | POINTS --manifold SPEC) [-o FILE]",
     "  riemann2 distance model.npz subjects.csv --medoids 3 -o distances.npy\n"
     "  riemann2 distance connectomes.csv --manifold SPD15 --label label --medoids 3\n"},
    {COMMAND("mean"), "compute and test Fréchet means, latent or on the manifold", run_mean,
     "(MODEL (LATENTS | --train | --trajectory ID) | POINTS --manifold SPEC) [-o FILE]",
     "  riemann2 mean model.npz --trajectory 0\n"
     "  riemann2 mean connectomes.csv --manifold SPD15 --label label --test -o means.csv\n"},
    {COMMAND("classify"), "measure how well labels can be predicted, with and without a model",
     run_classify, "POINTS --manifold SPEC --label COLUMN [-o FILE] [options]",
     "  riemann2 classify connectomes.csv --manifold SPD15 --label label\n"
     "  riemann2 classify eeg.csv --manifold SPD14 --label task --group subject --latent 5\n"},
    {COMMAND("plot"), "draw figures of a model and of paths in it (PNG, SVG, PDF)", run_plot,
     "MODEL -o FILE [--kind KIND] [--path FILE]... [options]",
     "  riemann2 plot model.npz --path motion.csv -o latent.png\n"
     "  riemann2 plot model.npz --kind decoded --path motion.csv -o motion.pdf\n"
     "  riemann2 plot model.npz --points encoded.csv -o new.svg\n"
     "  riemann2 plot model.npz --kind training -o training.svg\n"},
    {COMMAND("explore"), "open a page in the browser to drag geodesics and see them decoded",
     run_explore, "MODEL [options]",
     "  riemann2 explore model.npz\n"
     "  riemann2 explore model.npz --arm panda\n"
     "  riemann2 explore model.npz --port 8080 --no-browser\n"},
    {COMMAND("experiment"), "run the experiments of the paper, all models side by side",
     run_experiment, "NAME [--data FILE] [-o FOLDER] [options]",
     "  riemann2 experiment toy\n"
     "  riemann2 experiment robot --data poses.csv --thin 40 -o report\n"
     "  riemann2 experiment all --seed 1 --force\n"
     "Names: toy, robot, manipulability, connectome, metric-learning, all.\n"},
    {COMMAND("settings"), "list all settings with their ranges and defaults", run_settings,
     "[fit|data|encode|space|covariance] [--json]",
     "  riemann2 settings fit\n"
     "  riemann2 settings --json\n"},
    {COMMAND("completion"), "print a script that completes commands and options in a shell",
     run_completion, "bash|zsh|fish",
     "  riemann2 completion bash > ~/.local/share/bash-completion/completions/riemann2\n"
     "  riemann2 completion zsh > ~/.zfunc/_riemann2\n"
     "  riemann2 completion fish > ~/.config/fish/completions/riemann2.fish\n"},
    {COMMAND("version"), "print the version, the linear algebra library and the threads",
     run_version, "[--json]", ""},
    {.name = NULL},
};

static void print_usage(FILE *out) {
    (void)fprintf(out,
                  "riemann2 %s: learn low-dimensional Riemannian submanifolds from Riemannian "
                  "data\n\nusage: riemann2 COMMAND ...\n\n",
                  rm2_version());
    for (const command *c = commands; c->name; c++)
        (void)fprintf(out, "  %-10s %s\n", c->name, c->summary);
    (void)fprintf(out, "\nRun riemann2 COMMAND --help for options and examples.\n");
}

static void print_json(const rm2_blas_info *blas, int threads) {
    rm2_json json = rm2_json_begin(stdout);
    rm2_json_put(&json, RM2_TEXT("version", rm2_version()), RM2_TEXT("blas", blas->config),
                 RM2_TEXT("core", blas->core), RM2_COUNT("threads", (size_t)threads));
    rm2_json_end(&json);
}

int run_version(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    const option_group groups[] = {{"Options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, NULL, 0, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    rm2_blas_info blas = {.size = sizeof blas};
    (void)rm2_blas_check(ctx, &blas);
    int threads = rm2_context_threads(ctx);
    rm2_context_free(ctx);
    if (common.json)
        print_json(&blas, threads);
    else
        printf("riemann2 %s\n%s, %s kernels\n%d threads\n", rm2_version(), blas.config, blas.core,
               threads);
    return EXIT_DONE;
}

static int find_word(const char *const *words, const char *word) {
    int k = 0;
    while (words[k] && strcmp(words[k], word) != 0)
        k++;
    return words[k] ? k : -1;
}

int run_completion(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    const option_group groups[] = {{"Options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *name = "";
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &name, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    int shell = find_word(completion_shells, name);
    if (shell < 0) {
        (void)fprintf(stderr, "%s: expected a shell: bash, zsh or fish\n", self->title);
        return EXIT_USAGE;
    }
    completion_print(shell, commands);
    return EXIT_DONE;
}

static int complain_unknown(const char *name) {
    likeness like = {.name = name};
    for (const command *c = commands; c->name; c++)
        likeness_compare(&like, c->name);
    (void)fprintf(stderr, "riemann2: unknown command \"%s\"%s; see riemann2 --help\n", PLAIN(name),
                  LIKENESS(&like));
    return EXIT_USAGE;
}

int run_command(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc == 2)) {
        print_usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0)
        name = "version";
    bool help = strcmp(name, "help") == 0;
    static char help_flag[] = "--help";
    char *help_arguments[] = {help_flag};
    for (const command *c = commands; c->name; c++)
        if (strcmp(c->name, help ? argv[2] : name) == 0)
            return help ? c->run(c, 1, help_arguments) : c->run(c, argc - 2, argv + 2);
    return complain_unknown(help ? argv[2] : name);
}
