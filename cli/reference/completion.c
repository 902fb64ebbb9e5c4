/* Scripts that complete commands, options and values in bash, zsh and fish. All of it comes from the tables of the
 * commands and of their options; values without words are names of files. */
#include <string.h>

#include "core/cli.h"

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};
enum { BASH, ZSH, FISH };

/* ---- texts ----------------------------------------------------------------------------------- */

/* Text between single quotes; a '\' before the characters of `special`. */
static void put_text(const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\'");
        else if (strchr(special, *text))
            putchar('\\');
        putchar(*text);
    }
}

static void put_words(const char *const *words) {
    for (; *words; words++)
        printf("%s%s", *words, words[1] ? " " : "");
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_name(const void *user, const option_form *form) {
    (void)user;
    printf(" %s", form->name);
    if (strcmp(form->name, "--output") == 0)
        printf(" -o");
}

static void bash_words(const void *user, const option_form *form) {
    const command *c = user;
    if (!form->words)
        return;
    printf("    '%s %s') words='", c->name, form->name);
    put_words(form->words);
    printf("' ;;\n");
}

static void print_bash(const command *commands) {
    printf("# bash completion of riemann2, printed by riemann2 completion bash\n"
           "_riemann2() {\n"
           "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "  local command=${COMP_WORDS[1]} words=\n"
           "  [ \"$current\" = = ] && current=\n"
           "  [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    words='--help --version");
    for (const command *c = commands; c->name; c++)
        printf(" %s", c->name);
    printf("'\n  elif [[ $current == -* ]]; then\n    case $command in\n");
    for (const command *c = commands; c->name; c++) {
        printf("    %s) words='", c->name);
        command_visit_options(c, bash_name, NULL);
        printf("' ;;\n");
    }
    printf("    esac\n  else\n    case \"$command $before\" in\n");
    for (const command *c = commands; c->name; c++)
        command_visit_options(c, bash_words, c);
    printf("    esac\n"
           "  fi\n"
           "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) # if there are none, names of "
           "files\n"
           "}\n"
           "complete -o default -F _riemann2 riemann2\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void zsh_option(const void *user, const option_form *form) {
    (void)user;
    if (strcmp(form->name, "--output") == 0)
        printf(" \\\n        '-o[output]:FILE:_files'");
    printf(" \\\n        '%s%s[", form->name,
           form->need == VALUE_NONE       ? ""
           : form->need == VALUE_OPTIONAL ? "=-"
                                          : "=");
    put_text(form->help, "[]\\");
    printf("]");
    if (form->need != VALUE_NONE) {
        printf("%s", form->need == VALUE_OPTIONAL ? "::" : ":");
        put_text(form->value ? form->value : "value", ":\\");
        printf(":");
        if (form->words) {
            printf("(");
            put_words(form->words);
            printf(")");
        } else {
            printf("_files");
        }
    }
    printf("'");
}

static void print_zsh(const command *commands) {
    printf("#compdef riemann2\n"
           "# zsh completion of riemann2, printed by riemann2 completion zsh\n"
           "_riemann2() {\n"
           "  local -a commands=(");
    for (const command *c = commands; c->name; c++) {
        printf("\n    '%s:", c->name);
        put_text(c->summary, ":\\");
        printf("'");
    }
    printf(")\n"
           "  if ((CURRENT == 2)); then\n"
           "    _describe command commands\n"
           "    return\n"
           "  fi\n"
           "  local command=$words[2]\n"
           "  shift words\n"
           "  ((CURRENT--))\n"
           "  case $command in\n");
    for (const command *c = commands; c->name; c++) {
        printf("  %s)\n    _arguments", c->name);
        command_visit_options(c, zsh_option, NULL);
        printf(" \\\n        '*:FILE:_files' ;;\n");
    }
    printf("  esac\n"
           "}\n"
           "if [ \"$funcstack[1]\" = _riemann2 ]; then\n"
           "  _riemann2 \"$@\"\n"
           "else\n"
           "  compdef _riemann2 riemann2\n"
           "fi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void fish_option(const void *user, const option_form *form) {
    const command *c = user;
    printf("complete -c riemann2 -n '__fish_seen_subcommand_from %s'%s -l %s -d '", c->name,
           strcmp(form->name, "--output") == 0 ? " -s o" : "", form->name + 2);
    put_text(form->help, "\\");
    printf("'");
    if (form->words) {
        printf(" -x -a '");
        put_words(form->words);
        printf("'");
    } else if (form->need == VALUE_NEEDED) {
        printf(" -r");
    }
    printf("\n");
}

static void print_fish(const command *commands) {
    printf("# fish completion of riemann2, printed by riemann2 completion fish\n");
    for (const command *c = commands; c->name; c++) {
        printf("complete -c riemann2 -f -n __fish_use_subcommand -a %s -d '", c->name);
        put_text(c->summary, "\\");
        printf("'\n");
    }
    for (const command *c = commands; c->name; c++)
        command_visit_options(c, fish_option, c);
}

void completion_print(int shell, const command *commands) {
    if (shell == BASH)
        print_bash(commands);
    else if (shell == ZSH)
        print_zsh(commands);
    else
        print_fish(commands);
}
