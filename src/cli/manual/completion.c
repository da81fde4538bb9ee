/* Completion for bash and zsh. */
#include <stdio.h>
#include <string.h>

#include "cli/manual/manual.h"
#include "gpuvoronoi.h"

static void put_backends(void) {
  printf("auto");
  for (int number = 0; number < gv_backend_count(); number++) {
    gv_backend_info backend;
    if (gv_backend_get(number, &backend) == GV_OK) printf(" %s", backend.name);
  }
}

static void put_choices(const gv_option *o) {
  for (const gv_choice *one = o->choices; one->name != NULL; one++)
    printf("%s%s", one > o->choices ? " " : "", one->name);
}

/* Lists of GDAL's drivers that write rasters, as its own program tells. */
static const char drivers[] =
    "$(gdalinfo --formats 2>/dev/null | sed -n 's/^ *\\([^ ]*\\) -[a-z,]*raster[^(]*([rovs]*w.*/\\1/p')";

static void bash_options(const char *name, const char *summary, const cli_syntax *syntax) {
  (void)summary;
  printf("    '%s')\n      options=\"", name);
  bool first = true;
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind == GV_OPTION_HEADING) continue;
    printf("%s%s%s", first ? "" : " ", manual_dashes(o), o->name);
    first = false;
  }
  puts("\"\n      case \"$before\" in");
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    manual_values values = o->kind == GV_OPTION_HEADING ? MANUAL_NOTHING : manual_values_of(o);
    if (values == MANUAL_NOTHING) continue;
    printf("        %s%s) ", manual_dashes(o), o->name);
    if (values == MANUAL_FILE) {
      printf("values=files");
    } else if (values == MANUAL_FREE) {
      printf("values=any");
    } else {
      printf("values=\"");
      if (values == MANUAL_CHOICES) put_choices(o);
      if (values == MANUAL_BACKENDS) put_backends();
      if (values == MANUAL_DRIVERS) fputs(drivers, stdout);
      printf("\"");
    }
    puts(" ;;");
  }
  puts("      esac ;;");
}

void manual_bash(void) {
  puts("# Completion of gpuvoronoi for bash; made from the command's tables of options.\n"
       "_gpuvoronoi() {\n"
       "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" command= options= "
       "values= commands=\n"
       "  COMPREPLY=()");
  printf("  if ((COMP_CWORD == 1)); then commands=\"");
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    printf("%s%s", one > cli_commands ? " " : "", one->name);
  puts("\"; fi\n  if ((COMP_CWORD > 1)); then\n    case \"${COMP_WORDS[1]}\" in");
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    printf("      %s) command=%s ;;\n", one->name, one->name);
  puts("    esac\n  fi\n  case \"$command\" in");
  manual_each(bash_options);
  puts("  esac\n"
       "  if [[ $values == any ]]; then\n"
       "    return\n"
       "  elif [[ -n $values && $values != files ]]; then\n"
       "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
       "  elif [[ $word == -* && $values != files ]]; then\n"
       "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
       "  else\n"
       "    compopt -o filenames 2>/dev/null\n"
       "    local IFS=$'\\n'\n"
       "    COMPREPLY=($(compgen -W \"${commands// /$IFS}\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
       "  fi\n"
       "}\n"
       "complete -F _gpuvoronoi gpuvoronoi");
}

/* Within the single quotes and brackets of one of zsh's specifications. */
static void put_zsh_text(const char *text) {
  size_t length = strcspn(text, ";:\n"); /* the first part says enough */
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\'') {
      fputs("'\\''", stdout);
    } else if (strchr("[]\\", text[i]) != NULL) {
      printf("\\%c", text[i]);
    } else {
      putchar(text[i]);
    }
  }
}

static void zsh_options(const char *name, const char *summary, const cli_syntax *syntax) {
  (void)summary;
  printf("    '%s')\n      _arguments -S \\\n", name);
  for (size_t i = 0; i < syntax->count; i++) {
    const gv_option *o = &syntax->options[i];
    if (o->kind == GV_OPTION_HEADING) continue;
    manual_values values = manual_values_of(o);
    printf("        '%s%s%s[", o->kind == GV_OPTION_LIST ? "*" : "", manual_dashes(o), o->name);
    put_zsh_text(o->help);
    printf("]");
    if (values != MANUAL_NOTHING) {
      printf(":");
      put_zsh_text(o->metavar);
      printf(":");
    }
    if (values == MANUAL_FILE) printf("_files");
    if (values == MANUAL_CHOICES || values == MANUAL_BACKENDS) {
      printf("(");
      if (values == MANUAL_CHOICES) {
        put_choices(o);
      } else {
        put_backends();
      }
      printf(")");
    }
    if (values == MANUAL_DRIVERS) {
      printf("_gpuvoronoi_drivers");
    }
    puts("' \\");
  }
  printf("        %s;;\n", strcmp(name, "") == 0        ? "'*:file:_files' "
                           : syntax->positional != NULL ? "'*:value: ' "
                                                        : "");
}

void manual_zsh(void) {
  puts("#compdef gpuvoronoi\n"
       "# Completion of gpuvoronoi for zsh; made from the command's tables of options.\n"
       "_gpuvoronoi_drivers() {\n"
       "  local -a names");
  printf("  names=(${(f)\"%s\"})\n", drivers);
  puts("  compadd -a names\n"
       "}\n"
       "_gpuvoronoi() {\n"
       "  local command=");
  printf("  local -a commands=(");
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    printf("'%s:%s' ", one->name, one->summary);
  puts(")\n"
       "  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
       "    _describe command commands\n"
       "    _files\n"
       "    return\n"
       "  fi\n"
       "  case $words[2] in");
  for (const cli_command *one = cli_commands; one->name != NULL; one++)
    printf("    %s) command=%s; shift words; ((CURRENT--)) ;;\n", one->name, one->name);
  puts("  esac\n  case $command in");
  manual_each(zsh_options);
  puts("  esac\n}\n_gpuvoronoi \"$@\"");
}
