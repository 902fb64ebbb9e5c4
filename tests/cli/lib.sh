# What the scripts of this folder share: a folder to work in, commands and what they must say, numbers that
# must agree. Sourced by a script whose first argument is the program.
set -u
program=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
: >out
: >err
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

fail() {
    failed=$((failed + 1))
    echo "FAILED $1"
    sed 's/^/    /' out err
}

# finish NAME: the last line of a script, and its exit code.
finish() {
    echo "$1: $passed passed, $failed failed"
    [ $failed -eq 0 ]
}

# expect CODE TEXT ARGUMENTS...: exit code, and a text (grep -E) that output or messages must have.
# A failing command must print exactly one line on standard error and nothing else; none prints a NaN, names
# a field of the library in place of an option, or leaves temporary files.
expect() {
    code=$1
    text=$2
    shift 2
    "$program" "$@" >out 2>err
    got=$?
    problem=
    [ "$got" -eq "$code" ] || problem="exit code $got, not $code"
    cat out err | grep -qE -e "$text" || problem="$problem; no \"$text\""
    if [ "$code" -eq 1 ] || [ "$code" -eq 3 ]; then
        [ "$(wc -l <err)" -eq 1 ] || problem="$problem; $(wc -l <err) lines of errors"
        [ ! -s out ] || problem="$problem; output in spite of the error"
    fi
    grep -qE 'settings\.[a-z]' err && problem="$problem; a field of the library"
    grep -qiE '(^|[^a-z])-?nan([^a-z]|$)' out && problem="$problem; a NaN"
    leftover=$(find . -name '.*tmp*' | head -n 1)
    [ -z "$leftover" ] || problem="$problem; left $leftover behind"
    if [ -z "$problem" ]; then pass; else fail "riemann2 $*: $problem"; fi
}

# check NAME CONDITION...: a test(1) condition about what the last command left.
check() {
    name=$1
    shift
    if [ "$@" ]; then pass; else fail "$name"; fi
}

# check_run NAME COMMAND...: a command that must succeed.
check_run() {
    name=$1
    shift
    if "$@"; then pass; else fail "$name"; fi
}

# Is FILE one line with one JSON object, in which no object has two members of one name? Texts become s and their number,
# other scalars v; arrays and objects of these become v until nothing is left to do.
is_json() {
    awk 'function object(text, parts, part, n, i, seen) { # members with different names
            n = split(text, parts, ",")
            for (i = 1; i <= n; i++) {
                if (parts[i] !~ /^s[0-9]+:(v|s[0-9]+)$/) return 0
                split(parts[i], part, ":")
                if (part[1] in seen) return 0
                seen[part[1]] = 1
            }
            return 1
        }
        NR > 1 || !/^\{/ { bad = 1 }
        {
            text = ""
            while (match($0, /"([^"\\]|\\["\\\/bfnrt]|\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F])*"|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null/)) {
                token = substr($0, RSTART, RLENGTH)
                if (token ~ /^"/ && !(token in number)) number[token] = ++strings
                text = text substr($0, 1, RSTART - 1) (token ~ /^"/ ? "s" number[token] : "v")
                $0 = substr($0, RSTART + RLENGTH)
            }
            text = text $0
            gsub(/ /, "", text)
            while (match(text, /\[[^][{}]*\]|\{[^][{}]*\}/)) {
                inside = substr(text, RSTART + 1, RLENGTH - 2)
                if (substr(text, RSTART, 1) == "[") {
                    if (inside !~ /^((v|s[0-9]+)(,(v|s[0-9]+))*)?$/) bad = 1
                } else if (!object(inside)) bad = 1
                text = substr(text, 1, RSTART - 1) "v" substr(text, RSTART + RLENGTH)
            }
            if (text != "v") bad = 1
        }
        END { exit bad || NR != 1 }' "$1"
}

# field NAME FILE: a value of a JSON line.
field() {
    sed -E "s/.*\"$1\": (\\[[^]]*\\]|[^,}]*)[],}].*/\\1/" "$2"
}

# column NAME FILE: a column of a CSV file.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i; next } { print $k }' "$2"
}

# all CONDITION: is it true (awk, of $1, $2, ...) for every line of standard input, of which there are some?
all() {
    awk "{ n++; if (!($1)) bad = 1 } END { exit bad || !n }"
}

# close A B TOLERANCE: two numbers, relative to the first or to 1.
close() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
        if (a !~ /^-?[0-9]/ || b !~ /^-?[0-9]/) exit 1
        d = a - b; m = a < 0 ? -a : a; exit !((d < 0 ? -d : d) <= t * (m > 1 ? m : 1)) }'
}

# same NAME A B [TOLERANCE]: numbers that must agree.
same() {
    if close "$2" "$3" "${4:-1e-9}"; then pass; else fail "$1: $2 and $3"; fi
}
