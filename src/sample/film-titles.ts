// Made-up film titles that sound like their genre. Each title is used once; a series adds parts to it.
import type { Random } from '../base/seeded-random.ts';

export const GENRES = [
  'Action',
  'Animation',
  'Comedy',
  'Crime',
  'Documentary',
  'Drama',
  'Family',
  'Fantasy',
  'Horror',
  'Romance',
  'Science Fiction',
  'Thriller',
] as const;
export type Genre = (typeof GENRES)[number];

const WORDS: Record<Genre, { adjectives: string[]; nouns: string[]; places: string[] }> = {
  Action: {
    adjectives: ['Burning', 'Broken', 'Iron', 'Lethal', 'Rogue', 'Furious', 'Steel', 'Last'],
    nouns: ['Strike', 'Convoy', 'Vengeance', 'Squadron', 'Bullet', 'Pursuit', 'Commando', 'Payload'],
    places: ['Singapore', 'the Sahara', 'Pier Nine', 'the Border', 'Macau', 'the Red Line'],
  },
  Animation: {
    adjectives: ['Curious', 'Tiny', 'Painted', 'Wandering', 'Clockwork', 'Paper', 'Singing', 'Electric'],
    nouns: ['Fox', 'Balloon', 'Robot', 'Penguin', 'Lantern', 'Dragonfly', 'Teapot', 'Snowman'],
    places: ['Cloud Town', 'the Toy Shop', 'Pebble Island', 'the Attic', 'Honey Hill', 'the Moon Garden'],
  },
  Comedy: {
    adjectives: ['Accidental', 'Reluctant', 'Awkward', 'Perfect', 'Uninvited', 'Terrible', 'Second', 'Sunday'],
    nouns: ['Wedding', 'Roommate', 'Landlord', 'Holiday', 'Butler', 'Barbecue', 'Reunion', 'Promotion'],
    places: ['Blackpool', 'the Office', 'Apartment 4B', 'the In-Laws', 'Platform Six', 'Las Palmas'],
  },
  Crime: {
    adjectives: ['Crooked', 'Cold', 'Silent', 'Dirty', 'Gilded', 'Midnight', 'Blind', 'Unmarked'],
    nouns: ['Witness', 'Ledger', 'Alibi', 'Heist', 'Informant', 'Verdict', 'Safe', 'Detective'],
    places: ['Marseille', 'the Docks', 'Canal Street', 'Chicago', 'the Vault', 'Room 217'],
  },
  Documentary: {
    adjectives: ['Hidden', 'Living', 'Frozen', 'Forgotten', 'Wild', 'Deep', 'Secret', 'Vanishing'],
    nouns: ['Ocean', 'Forest', 'Glacier', 'Orchestra', 'Harvest', 'River', 'Archive', 'Migration'],
    places: ['Patagonia', 'the Arctic', 'the Silk Road', 'the Reef', 'Kyoto', 'the Night Sky'],
  },
  Drama: {
    adjectives: ['Quiet', 'Long', 'Distant', 'Empty', 'Fading', 'Borrowed', 'Winter', 'Unspoken'],
    nouns: ['Summer', 'Harbour', 'Letter', 'Daughter', 'Orchard', 'Promise', 'Silence', 'Window'],
    places: ['Galway', 'the Farm', 'Hospital Hill', 'Trieste', 'the Lighthouse', 'Winnipeg'],
  },
  Family: {
    adjectives: ['Brave', 'Lucky', 'Runaway', 'Little', 'Golden', 'Muddy', 'Happy', 'Lost'],
    nouns: ['Puppy', 'Pony', 'Treehouse', 'Treasure', 'Circus', 'Grandfather', 'Picnic', 'Sledge'],
    places: ['Willow Farm', 'the Zoo', 'Summer Camp', 'Maple Street', 'the Seaside', 'Snowy Peak'],
  },
  Fantasy: {
    adjectives: ['Enchanted', 'Shattered', 'Emerald', 'Forbidden', 'Whispering', 'Ancient', 'Thorned', 'Silver'],
    nouns: ['Crown', 'Oracle', 'Dragon', 'Spellbook', 'Kingdom', 'Sword', 'Witch', 'Throne'],
    places: ['Eldermoor', 'the Glass Tower', 'the Hollow Sea', 'Ravenhold', 'the Mist', 'the Sunken City'],
  },
  Horror: {
    adjectives: ['Crawling', 'Pale', 'Buried', 'Hungry', 'Whistling', 'Bleeding', 'Hollow', 'Thirteenth'],
    nouns: ['Cellar', 'Doll', 'Scarecrow', 'Asylum', 'Mirror', 'Nursery', 'Grave', 'Shadow'],
    places: ['Hawthorn House', 'the Marsh', 'Cabin Five', 'the Old Mill', 'Grimsby Road', 'the Crypt'],
  },
  Romance: {
    adjectives: ['Tender', 'Starlit', 'Secret', 'Unexpected', 'First', 'Velvet', 'Parisian', 'Last'],
    nouns: ['Kiss', 'Waltz', 'Serenade', 'Postcard', 'Bouquet', 'Spring', 'Heart', 'Invitation'],
    places: ['Lisbon', 'the Vineyard', 'Verona', 'the Night Train', 'Brooklyn', 'Santorini'],
  },
  'Science Fiction': {
    adjectives: ['Orbital', 'Quantum', 'Stellar', 'Synthetic', 'Parallel', 'Infinite', 'Martian', 'Neon'],
    nouns: ['Signal', 'Horizon', 'Colony', 'Android', 'Paradox', 'Gravity', 'Eclipse', 'Protocol'],
    places: ['Europa', 'Station Zero', 'the Outer Ring', 'Titan', 'Sector Nine', 'Deep Space'],
  },
  Thriller: {
    adjectives: ['Missing', 'Double', 'Fatal', 'Hidden', 'Stolen', 'Final', 'Perfect', 'Wrong'],
    nouns: ['Passenger', 'Hour', 'Cipher', 'Neighbour', 'Signal', 'Identity', 'Hostage', 'Trap'],
    places: ['Zurich', 'Flight 209', 'the Embassy', 'Berlin', 'the Tunnel', 'the Ninth Floor'],
  },
};

export class TitleMaker {
  readonly #used = new Set<string>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  make(genre: Genre): string {
    const { adjectives, nouns, places } = WORDS[genre];
    const random = this.#random;
    for (let attempt = 0; ; attempt++) {
      const [adjective, noun, place] = [random.pick(adjectives), random.pick(nouns), random.pick(places)];
      const shapes = [
        `The ${adjective} ${noun}`,
        `${adjective} ${noun}`,
        `The ${noun} of ${place}`,
        `${noun} in ${place}`,
        `Return to ${place}`,
        `The ${adjective} ${noun} of ${place}`,
        `${adjective} ${noun}, ${random.pick(adjectives)} ${random.pick(nouns)}`,
      ];
      // The longer shapes have more room: they come when the short ones are used up.
      const title = shapes[attempt < 4 ? random.below(5) : 5 + (attempt % 2)];
      if (!this.#used.has(title)) {
        this.#used.add(title);
        return title;
      }
      if (attempt > 200) {
        const numbered = `${title} (${this.#used.size})`;
        this.#used.add(numbered);
        return numbered;
      }
    }
  }
}
