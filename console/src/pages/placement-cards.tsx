// The items of a placement as cards, with a picture where an attribute holds the address of one. In the editor a card is pinned
// by its button, or by dragging it to another place.
import { Pin, PinOff } from 'lucide-react';
import { type DragEvent, useState } from 'react';
import { itemInfo } from '../api/items.ts';
import { isPicture, type PlacementList, pictureOf } from '../api/placements.ts';
import { Button } from '../ui/button.tsx';
import { ItemAttributes } from './recommendation-list.tsx';

export interface Pinning {
  pinned: ReadonlySet<string>;
  /** Positions count from 1. */
  pin: (itemId: string, position: number) => void;
  unpin: (itemId: string) => void;
}

const DRAGGED_ITEM = 'application/x-kindred-item';

export function PlacementCards({
  label,
  results,
  small,
  otherIds,
  pinning,
  onOpen,
}: {
  label: string;
  results: PlacementList['results'];
  small?: boolean;
  /** Ids in the list next to it; items missing from it are marked. */
  otherIds?: ReadonlySet<string>;
  pinning?: Pinning;
  /** A card is a button that opens its item. */
  onOpen?: (itemId: string) => void;
}) {
  const [target, setTarget] = useState<number | null>(null);
  const infos = results.map(({ item: { item_id, ...attributes } }) => ({
    info: itemInfo(item_id, attributes),
    picture: pictureOf(attributes),
  }));
  const anyPicture = infos.some(({ picture }) => picture !== null);
  const dragging = (itemId: string, position: number) =>
    pinning && {
      draggable: true,
      onDragStart: (event: DragEvent) => event.dataTransfer.setData(DRAGGED_ITEM, itemId),
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes(DRAGGED_ITEM)) return;
        event.preventDefault();
        setTarget(position);
      },
      onDragLeave: () => setTarget(null),
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        setTarget(null);
        pinning.pin(event.dataTransfer.getData(DRAGGED_ITEM), position);
      },
    };
  return (
    <ol className={small ? 'placement-cards small' : 'placement-cards'} aria-label={label}>
      {infos.map(({ info, picture }, index) => {
        const onlyHere = otherIds && !otherIds.has(info.id);
        const isPinned = results[index].pinned === true;
        const look = ['placement-card', onlyHere ? 'only-here' : '', target === index + 1 ? 'target' : ''];
        const shown = { ...info, attributes: withoutPictures(info.attributes) };
        return (
          <li key={info.id} className={look.filter(Boolean).join(' ')} {...dragging(info.id, index + 1)}>
            {anyPicture && <Picture address={picture} />}
            {onOpen ? (
              <button type="button" className="item-name opens" title={info.id} onClick={() => onOpen(info.id)}>
                {info.name}
              </button>
            ) : (
              <span className="item-name" title={info.id}>
                {info.name}
              </span>
            )}
            {!small && <ItemAttributes info={shown} most={3} />}
            {onlyHere && <span className="visually-hidden">Only in this list.</span>}
            {isPinned && !pinning && <span className="hint">Pinned</span>}
            {pinning &&
              (pinning.pinned.has(info.id) ? (
                <Button
                  look="quiet"
                  size="small"
                  aria-label={`Unpin ${info.name}`}
                  onPress={() => pinning.unpin(info.id)}
                >
                  <PinOff size={14} aria-hidden /> Unpin
                </Button>
              ) : (
                <Button
                  look="quiet"
                  size="small"
                  aria-label={`Pin here: ${info.name}, place ${index + 1}`}
                  onPress={() => pinning.pin(info.id, index + 1)}
                >
                  <Pin size={14} aria-hidden /> Pin here
                </Button>
              ))}
          </li>
        );
      })}
    </ol>
  );
}

/** An empty frame where there is none, so that names stay on one line. */
function Picture({ address }: { address: string | null }) {
  const [failed, setFailed] = useState(false);
  if (address === null || failed) return <span className="picture" />;
  return <img className="picture" src={address} alt="" loading="lazy" onError={() => setFailed(true)} />;
}

function withoutPictures(attributes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => ![value].flat().some(isPicture)));
}
