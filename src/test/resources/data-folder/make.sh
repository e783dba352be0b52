#!/bin/bash
# Makes the data folder that TakeoverIT has taken over: of a server that is killed with its keeper, its launchers and all
# that they run, as when the machine goes. Needs only what a server answers in all builds.
#   make.sh <quarkus-run.jar of a build> <the archive to write>
set -euo pipefail

jar=$(readlink -f -- "$1")
archive=$(readlink -m -- "$2")
root=/tmp/holdfast-fixture # nothing in the archive names another place
port=17420
server=http://127.0.0.1:$port
token=a-made-up-token-of-a-test

rm -rf "$root"
mkdir -p "$root/home" "$root/workspace"
mkdir -m 700 "$root/data"
(umask 077 && echo $token >"$root/data/token")
cd "$root/workspace"

env -i PATH="$PATH" HOME="$root/home" SHELL=/bin/bash LANG=C.UTF-8 HOLDFAST_DATA_DIR="$root/data" QUARKUS_HTTP_PORT=$port \
    HOLDFAST_OUTPUT_MAX_BYTES=65536 java -jar "$jar" >"$root/server.log" 2>&1 &
pid=$!
until curl -sf -o /dev/null $server/q/health/ready; do sleep 0.1; done

call() { curl -sS -f -H "Authorization: Bearer $token" -H 'Content-Type: application/json' "$@"; }
start() { call $server/v1/commands "${@:2}" -d "$1" | grep -oE 'task_[0-9A-Z]{26}' | head -n 1; }
await() { until call "$server/v1/tasks/$1" | grep -q "\"status\":\"$2\""; do sleep 0.1; done; }
printed() { until call "$server/v1/tasks/$1/output" | grep -q "$2"; do sleep 0.1; done; }

# What has ended, one of each kind; each is found by its label.
await "$(start '{"cmd":"echo out; echo err >&2","yield_time_ms":0,"labels":{"is":"completed"},"env":{"GREETING":"hidden"}}' \
    -H 'Idempotency-Key: of a task')" completed
await "$(start '{"argv":["sh","-c","echo failing; exit 3"],"yield_time_ms":0,"labels":{"is":"failed"}}')" failed
await "$(start '{"cmd":"sleep 600","yield_time_ms":0,"timeout_ms":300,"labels":{"is":"too slow"}}')" failed
await "$(start '{"cmd":"kill -9 $$","yield_time_ms":0,"labels":{"is":"killed"}}')" failed
stopped=$(start '{"cmd":"echo begun; sleep 601","yield_time_ms":0,"labels":{"is":"cancelled"}}')
printed "$stopped" begun
call "$server/v1/tasks/$stopped/stop" -d '{}' >/dev/null
await "$(start '{"cmd":"seq 100000","yield_time_ms":0,"labels":{"is":"cut"}}')" completed
terminal=$(start '{"cmd":"stty size; echo ask; read x; echo got $x; exit 5","tty":true,"rows":30,"cols":90,"yield_time_ms":0,"labels":{"is":"typed"}}')
printed "$terminal" ask
call "$server/v1/tasks/$terminal/input" -d '{"text":"hello\n"}' >/dev/null
await "$terminal" failed
call $server/v1/commands -H 'Idempotency-Key: of an answer' -d '{"cmd":"echo answered; exit 4"}' >/dev/null

# What runs when the machine goes: with input, in a terminal, in its caller's window, and one that ends without a server.
printed "$(start '{"cmd":"echo ready; read x; echo got $x","accepts_input":true,"yield_time_ms":0,"labels":{"is":"reading"}}')" ready
printed "$(start '{"cmd":"echo up; exec sleep 602","yield_time_ms":0,"labels":{"is":"serving"}}')" up
printed "$(start '{"cmd":"echo prompt; exec cat","tty":true,"yield_time_ms":0,"labels":{"is":"typing"}}')" prompt
ending=$(start '{"cmd":"echo one; until [ -e go ]; do sleep 0.1; done; echo two; exit 7","yield_time_ms":0,"labels":{"is":"ended alone"}}')
printed "$ending" one
before=$(ls "$root/data/tasks")
call $server/v1/commands -d '{"cmd":"echo early; exec sleep 603","yield_time_ms":600000,"labels":{"is":"early"}}' >/dev/null 2>&1 &
until early=$(comm -13 <(echo "$before") <(ls "$root/data/tasks")) && [ -s "$root/data/tasks/$early/out" ]; do sleep 0.1; done

kill -9 $pid
touch go
until grep -q exit "$root/data/tasks/$ending/rc"; do sleep 0.1; done
# Launchers first, then the keeper, then what they ran, so that none puts down how another ended.
for what in "cmdline $root/data/tasks" "cmdline $root" "environ $root"; do
    for process in /proc/[0-9]*; do
        if [ "$process" != /proc/$$ ] && tr '\0' '\n' 2>/dev/null <"$process/${what% *}" | grep -q "${what#* }"; then
            kill -9 "${process#/proc/}" 2>/dev/null || true
        fi
    done
done

# The boot, a thing of this machine: another one for all, but for one task, in which the test puts the present.
sed -i -E 's/("boot_id" *: *)"[^"]*"/\1"00000000-0000-4000-8000-000000000000"/' "$root"/data/tasks/*/spec.json
serving=$(grep -l '"is" *: *"serving"' "$root"/data/tasks/*/spec.json)
sed -i 's/00000000-0000-4000-8000-000000000000/THIS-BOOT/' "$serving"
# The keeper's copies of its jars are megabytes.
tar --sparse --owner=0 --group=0 --numeric-owner --exclude=keeper -C "$root" -c data | gzip -9 >"$archive"
ls -l "$archive"
