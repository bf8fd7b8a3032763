// The path of a page as its address has it. wouter decodes once what a hook of it returns: without the encoding here, a page that
// decodes an id of its path would decode it twice, and an id with % would become another one.
import { useHashLocation } from 'wouter/use-hash-location';

export function useAddress(): ReturnType<typeof useHashLocation> {
  const [path, navigate] = useHashLocation();
  return [path.replaceAll('%', '%25'), navigate];
}

useAddress.hrefs = (path: string): string => `#${path}`;
