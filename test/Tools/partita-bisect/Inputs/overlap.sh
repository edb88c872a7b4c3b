#!/bin/sh
# overlap.sh DIRECTORY COMMAND...: runs the command when another overlap.sh has run
# beside one in the directory, now or before. Exits with 200 if none comes.
directory=$1
shift
mkdir -p "$directory"
touch "$directory/running-$$"
tries=0
while [ ! -e "$directory/overlapped" ]; do
  [ "$(ls "$directory" | grep -c running)" -gt 1 ] && touch "$directory/overlapped"
  [ "$tries" -gt 300 ] && exit 200
  tries=$((tries + 1))
  sleep 0.1
done
rm -f "$directory/running-$$"
"$@"
