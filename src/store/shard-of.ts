// The shard of a user's events. It is stored with every event, so it must never change: FNV-1a over the id's
// UTF-16 code units with murmur's finaliser (FNV's low bits alone spread badly over a small number of shards).

export function shardOf(userId: string, numShards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < userId.length; i++) hash = Math.imul(hash ^ userId.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % numShards;
}
