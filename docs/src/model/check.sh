#!/bin/sh
# Checks the model of lanes with spin: as the scripts are, and with one check of theirs taken away, which spin must notice.
# Usage: check.sh <model> <folder to work in>
set -eu

model=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
for program in spin cc; do
  if ! command -v "$program" > /dev/null; then
    echo "The model of lanes cannot be checked: '$program' is not installed. On Debian: apt-get install spin gcc" >&2
    exit 1
  fi
done
mkdir -p "$2"
cd "$2"

optimize=-O2

# run <what> <options>: leaves what pan says in pan.out.
run() {
  echo "Checking: $1"
  rm -rf run
  mkdir run
  cd run
  shift
  options=$*
  spin "$@" -a "$model"
  cc $optimize -w -DSAFETY -DHC4 -DVECTORSZ=1024 -DMEMLIM=2000 -o pan pan.c
  ./pan -m10000 -w24 > ../pan.out 2>&1 || true
  cd ..
}

figures() {
  sed -n 's/^ *\([0-9]* states\), stored.*/\1/p; s/.*\(depth reached [0-9]*\), errors.*/\1/p;
    s/ *\([0-9.]*\).*total actual memory usage/\1 MB/p; s/^pan: elapsed time \(.*\) seconds/\1 s/p' pan.out | tr '\n' ' '
}

# fails <what> <options>: spin must find an error.
fails() {
  run "$@"
  if grep -q '^pan:1: assertion violated' pan.out; then
    echo "  error found, as it must be: $(sed -n 's/^pan:1: assertion violated //p' pan.out)"
  else
    echo "NOT FOUND: $1" >&2
    cat pan.out >&2
    exit 1
  fi
}

# holds <what> <options>: spin must find none.
holds() {
  run "$@"
  if ! grep -q 'errors: 0' pan.out || grep -q 'not completed\|max search depth too small\|out of memory' pan.out; then
    echo "The protocol does not hold; follow the trail with: spin $options -t -p -g $model (in $(pwd)/run)" >&2
    cat pan.out >&2
    exit 1
  fi
  echo "  no error with up to two faults; $(figures)"
}

holds 'the protocol' -DFAULTS=2
holds 'the protocol, with an ordering key' -DFAULTS=2 -DKEYED
holds 'the protocol, with callers that wait' -DFAULTS=2 -DCALLERS

optimize=-O0 # an error is found sooner than the program is compiled with -O2
fails 'a claim that comes again is carried out again' -DFAULTS=2 -DMUTATION=1
fails 'a claim does not notice that Redis went back' -DFAULTS=2 -DMUTATION=2
fails 'a settlement counts under any claim of the lane' -DFAULTS=2 -DMUTATION=3
fails 'a late acknowledgement counts although another holds the message' -DFAULTS=2 -DMUTATION=4
fails 'what dead lanes hold is not taken back' -DFAULTS=2 -DMUTATION=5
fails 'a send that comes again adds again' -DFAULTS=2 -DMUTATION=6
fails 'a lane takes over what another one holds' -DFAULTS=2 -DMUTATION=7
fails 'what is sent again is added although it is there' -DFAULTS=2 -DMUTATION=8
fails 'what Redis has forgotten is not sent again' -DFAULTS=1 -DMUTATION=9
fails 'a claim does not wait for what other lanes have to say' -DFAULTS=2 -DMUTATION=10
fails 'a renewal counts although Redis has forgotten requests of its lane' -DFAULTS=2 -DMUTATION=11
fails 'what a dead lane held of a row comes back as suspects' -DFAULTS=1 -DKEYED -DMUTATION=12
fails 'a message that has ended does not pass its turn on' -DFAULTS=0 -DKEYED -DMUTATION=13
fails 'the next of a row is handled although the one before it failed' -DFAULTS=1 -DKEYED -DMUTATION=14
fails 'a lane that closes is forgotten with what it holds' -DFAULTS=2 -DMUTATION=15
fails 'the attempt of the client after that of a caller has a number of its own' -DFAULTS=1 -DCALLERS -DMUTATION=16
fails 'known limit: an unanswered send that Redis forgot, taken over by who holds it' -DFAULTS=2 -DSTRICT
fails 'assumption: a request that was under way when Redis went back is carried out afterwards' -DFAULTS=2 -DCOPIES_OUTLIVE
