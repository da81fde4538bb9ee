#!/bin/bash
# hosts.sh N COMMAND...: runs a launcher of MPI where there are N hosts, node1 ... nodeN, that have nothing in common but files: network
# namespaces on one bridge, each with a name of its own. @AGENT@ in COMMAND becomes what reaches them as `ssh HOST COMMAND` would. Needs no
# rights where people may have user namespaces; ends with 77 where there are no such hosts.
set -eu
trap 'exit 77' ERR
within=(unshare --map-root-user --net --uts --mount --pid --fork --mount-proc --kill-child)
if [ -z "${HOSTS_WITHIN:-}" ]; then
  "${within[@]}" true
  HOSTS_WITHIN=1 exec "${within[@]}" bash "$0" "$@"
fi
count=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

hostname node0
ip link set lo up
ip link add bridge0 type bridge
ip addr add 10.77.0.254/24 dev bridge0
ip link set bridge0 up
printf '%s\n' '127.0.0.1 localhost' '10.77.0.254 node0' > "$folder/hosts"
for i in $(seq "$count"); do echo "10.77.0.$i node$i" >> "$folder/hosts"; done
mount --bind "$folder/hosts" /etc/hosts

for i in $(seq "$count"); do
  mkfifo "$folder/ready$i"
  unshare --net --uts bash -c "hostname node$i; echo > '$folder/ready$i'; exec sleep infinity" &
  host=$!
  echo $host > "$folder/node$i"
  read -r _ < "$folder/ready$i"
  ip link add "port$i" type veth peer name eth0 netns $host
  ip link set "port$i" master bridge0 up
  for what in "link set lo up" "addr add 10.77.0.$i/24 dev eth0" "link set eth0 up"; do
    # shellcheck disable=SC2086
    nsenter --target $host --net ip $what
  done
done

cat > "$folder/agent" <<EOF
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
host=\$(cat '$folder/'"\$1")
shift
exec nsenter --target "\$host" --net --uts bash -c "cd '$PWD'; \$*"
EOF
chmod +x "$folder/agent"
trap - ERR
"${@//@AGENT@/$folder/agent}"
