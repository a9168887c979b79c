// The search of the guide without its page, so that the build tries it as well. lunr ranks; this file makes words of
// texts and queries. In plain ECMAScript, for the build runs it in Rhino, where a const in a loop keeps its first value.
'use strict';

(function (root) {
  const WORD = /[A-Za-z0-9\u00c0-\uffff]+/g;
  const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
  // What is in every query of the kind "how to … with Redelay", and says nothing.
  const NOISE = ('a about after all am an and any are as at be been but by can cannot could did do does doing done else ever for from '
    + 'get gets got had has have he her him his how i if in into is it its just let like may me might must my of on or our '
    + 'own please rather say should since so some somehow than that the their them then there these they this those to too '
    + 'us use used uses using want was way we were what when where whether which while who why will with would you your '
    + 'redelay').split(' ');

  // How much a match weighs: in a heading, by the index of meanings, in the title of the chapter, in the text.
  const FIELDS = { heading: 12, about: 10, chapter: 4, text: 1 };
  const MEANING = 1.6;
  const ALSO = 1;
  const PART_OF_PHRASE = 0.4;
  const PREFIX = 0.3;
  // A page of which more sections match comes before one with a single match as good.
  const MORE_SECTIONS = 0.1;
  const WORTH_SHOWING = 0.15;
  const EXCERPT = 170;

  function create(lunr, content) {
    const stems = new Map();
    const noise = new Set(NOISE);

    function stem(word) {
      let stemmed = stems.get(word);
      if (stemmed === undefined) {
        stemmed = lunr.stemmer(new lunr.Token(word, {})).toString();
        stems.set(word, stemmed);
      }
      return stemmed;
    }

    // Each word with its place; one like maxInFlight is there as a whole and in parts.
    function words(text) {
      const all = [];
      WORD.lastIndex = 0;
      for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
        let word = match[0];
        all.push({ word: word.toLowerCase(), start: match.index, end: match.index + word.length });
        if (/[a-z][A-Z]/.test(word)) {
          let parts = word.match(PART);
          let start = match.index;
          for (let i = 0; i < parts.length; i++) {
            all.push({ word: parts[i].toLowerCase(), start: start, end: start + parts[i].length });
            start += parts[i].length;
          }
        }
      }
      return all;
    }

    // A meaning has a term of its own, which stands where one of its phrases stands.
    const phrases = new Map();
    const inPhrases = new Set();

    function addPhrase(parts, term, only) {
      parts.forEach(function (part) { inPhrases.add(part); });
      if (!phrases.has(parts[0])) {
        phrases.set(parts[0], []);
      }
      phrases.get(parts[0]).push({ parts: parts, term: term, only: only });
    }

    content.synonyms.forEach(function (synonyms, place) {
      const query = synonyms.also.length > 0;
      synonyms.words.forEach(function (phrase) {
        const parts = words(phrase).map(function (each) { return stem(each.word); });
        addPhrase(parts, '~' + place, query);
        if (parts.length === 2) {
          // "unique jobs" is typed as "job uniqueness" as well.
          addPhrase(parts.slice().reverse(), '~' + place, true);
        }
      });
    });

    function begins(all, place, parts) {
      for (let i = 1; i < parts.length; i++) {
        if (place + i >= all.length || all[place + i].stem !== parts[i]) {
          return false;
        }
      }
      return true;
    }

    // The terms of a text, in its order: words and meanings.
    function analyse(text, query) {
      const all = words(text);
      all.forEach(function (each) { each.stem = stem(each.word); });
      const terms = [];
      all.forEach(function (each, place) {
        if (each.word.length > 1 && !noise.has(each.word)) {
          terms.push({ term: each.stem, word: each.word, start: each.start, end: each.end });
        }
        (phrases.get(each.stem) || []).forEach(function (phrase) {
          if ((query || !phrase.only) && begins(all, place, phrase.parts)) {
            terms.push({ term: phrase.term, start: each.start, end: all[place + phrase.parts.length - 1].end });
          }
        });
      });
      return terms;
    }

    function within(inner, outer) {
      return inner.start >= outer.start && inner.end <= outer.end && inner.end - inner.start < outer.end - outer.start;
    }

    function tokens(text) {
      const terms = Array.isArray(text) ? text : analyse(text, false).map(function (each) { return each.term; });
      return terms.map(function (term) { return new lunr.Token(term, {}); });
    }

    // The meanings that a section is about, as terms of their own: one that no text has weighs more. lunr weighs a match
    // less in a field that is longer than others, so all are equally long.
    const about = new Map();
    let longest = 0;
    content.synonyms.forEach(function (synonyms, place) {
      synonyms.anchors.forEach(function (anchor) {
        about.set(anchor, (about.get(anchor) || []).concat('=' + place));
        longest = Math.max(longest, about.get(anchor).length);
      });
    });

    function meaningsOf(anchor) {
      const meanings = (about.get(anchor) || []).slice();
      while (meanings.length < longest) {
        meanings.push('=');
      }
      return meanings;
    }

    const builder = new lunr.Builder();
    builder.tokenizer = tokens;
    builder.ref('place');
    Object.keys(FIELDS).forEach(function (field) { builder.field(field, { boost: FIELDS[field] }); });
    content.entries.forEach(function (entry, place) {
      builder.add({
        place: place,
        heading: entry.section || entry.chapter,
        about: meaningsOf(entry.anchor),
        chapter: entry.section ? entry.chapter : '',
        text: entry.text + ' ' + entry.code,
      }, { boost: entry.weight });
    });
    const index = builder.build();

    function known(term) {
      return Object.prototype.hasOwnProperty.call(index.invertedIndex, term);
    }

    // Words of the guide and of its index of meanings, to correct others by.
    const vocabulary = lunr.TokenSet.fromArray(Array.from(stems.keys()).filter(function (word) {
      return word.length > 3 && (known(stem(word)) || inPhrases.has(stem(word)));
    }).sort());

    function nearest(word) {
      for (let distance = 1; distance <= (word.length > 7 ? 2 : 1); distance++) {
        let near = vocabulary.intersect(lunr.TokenSet.fromFuzzyString(word, distance)).toArray();
        if (near.length > 0) {
          return near.sort(function (one, other) {
            return Math.abs(one.length - word.length) - Math.abs(other.length - word.length) || (one < other ? -1 : 1);
          })[0];
        }
      }
      return word;
    }

    // A query with its mistakes of typing corrected. What is still being typed may become a word yet.
    function corrected(query) {
      return query.replace(WORD, function (typed, place) {
        const word = typed.toLowerCase();
        if (word.length < 4 || known(stem(word)) || inPhrases.has(stem(word)) || /[a-z][A-Z]/.test(typed)
            || place + typed.length === query.length
              && vocabulary.intersect(lunr.TokenSet.fromString(word + '*')).toArray().length > 0) {
          return typed;
        }
        return nearest(word);
      });
    }

    // What a query asks for: terms with what each weighs.
    function clauses(typed) {
      const query = corrected(typed);
      const found = new Map();
      function add(term, boost, how) {
        const key = term + ' ' + (how || '');
        if (!found.has(key) || found.get(key).boost < boost) {
          found.set(key, { term: term, boost: boost, how: how });
        }
      }
      const all = analyse(query, true);
      const meanings = all.filter(function (each) { return each.word === undefined; });
      // "prefetch count" is not about counts: the longest phrase says what is meant.
      const terms = all.filter(function (each) {
        return each.word !== undefined || !meanings.some(function (other) { return within(each, other); });
      });
      function weight(each) {
        return meanings.some(function (other) { return within(each, other); }) ? PART_OF_PHRASE : 1;
      }
      if (terms.length === 0) {
        words(query).forEach(function (each) { add(each.word, 1); });
      }
      terms.forEach(function (each) {
        if (each.word === undefined) {
          add(each.term, MEANING);
          add(each.term.replace('~', '='), MEANING);
          content.synonyms[Number(each.term.slice(1))].also.forEach(function (phrase) {
            const means = analyse(phrase, false);
            const meanings = means.filter(function (one) { return one.word === undefined; });
            (meanings.length > 0 ? meanings : means).forEach(function (one) { add(one.term, ALSO); });
          });
        }
        else if (known(each.term)) {
          add(each.term, weight(each));
        }
        if (each.word !== undefined && each.word.length > 2 && each.end === query.length) {
          add(each.word, PREFIX, 'prefix');
          if (each.word.length > 3 && !known(each.term) && !inPhrases.has(each.term)) {
            content.synonyms.forEach(function (synonyms, place) {
              if (synonyms.words.some(function (word) { return word.indexOf(each.word) === 0; })) {
                add('~' + place, PREFIX);
                add('=' + place, PREFIX);
              }
            });
          }
        }
      });
      return Array.from(found.values());
    }

    function hits(query) {
      const asked = clauses(query);
      return asked.length === 0 ? [] : index.query(function (lookup) {
        asked.forEach(function (clause) {
          lookup.term(clause.term, {
            boost: clause.boost,
            usePipeline: false,
            wildcard: clause.how === 'prefix' ? lunr.Query.wildcard.TRAILING : lunr.Query.wildcard.NONE,
          });
        });
      });
    }

    // The part of a text that has most of what was asked for, in pieces that are marked or not.
    function marked(text, query, most) {
      const asked = clauses(query);
      const places = analyse(text, false).filter(function (each) {
        return asked.some(function (clause) {
          return clause.term === each.term
            || clause.how === 'prefix' && each.word !== undefined && each.word.indexOf(clause.term) === 0;
        });
      });
      let best = { points: 0, start: 0 };
      places.forEach(function (place, i) {
        const seen = new Set();
        for (let j = i; j < places.length && places[j].end <= place.start + most - 50; j++) {
          seen.add(places[j].term);
        }
        if (seen.size > best.points) {
          best = { points: seen.size, start: place.start };
        }
      });
      let start = best.start < 50 ? 0 : text.lastIndexOf(' ', best.start - 40) + 1;
      let end = text.length <= start + most ? text.length : Math.max(text.lastIndexOf(' ', start + most), start + 1);
      const pieces = [];
      if (start > 0) {
        pieces.push({ text: '… ', marked: false });
      }
      places.forEach(function (place) {
        if (place.start >= start && place.end <= end) {
          pieces.push({ text: text.slice(start, place.start), marked: false });
          pieces.push({ text: text.slice(place.start, place.end), marked: true });
          start = place.end;
        }
      });
      pieces.push({ text: text.slice(start, end) + (end < text.length ? ' …' : ''), marked: false });
      return pieces.filter(function (piece) { return piece.text !== ''; });
    }

    // Pages, best first, each with its sections that match, best first.
    function find(query, most) {
      const trimmed = query.replace(/^\s+/, '');
      const pages = new Map();
      hits(trimmed).forEach(function (hit) {
        const entry = content.entries[Number(hit.ref)];
        const page = entry.page.replace(/#.*/, '');
        if (!pages.has(page)) {
          pages.set(page, { page: page, best: hit.score, score: hit.score, sections: [entry] });
        }
        else if (hit.score > pages.get(page).best * WORTH_SHOWING) {
          pages.get(page).score += hit.score * MORE_SECTIONS / pages.get(page).sections.length;
          pages.get(page).sections.push(entry);
        }
      });
      return Array.from(pages.values())
        .sort(function (one, other) { return other.score - one.score; })
        .slice(0, most);
    }

    return {
      find: find,
      title: function (entry, query) {
        return marked(entry.section ? entry.chapter + ' › ' + entry.section : entry.chapter, query, 1000);
      },
      excerpt: function (entry, query) { return marked(entry.text, query, EXCERPT); },
    };
  }

  root.guideSearch = { create: create };
})(typeof window !== 'undefined' ? window : this);
