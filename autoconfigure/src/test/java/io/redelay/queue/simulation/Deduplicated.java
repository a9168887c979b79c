package io.redelay.queue.simulation;

import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.redelay.queue.Deduplication;

/**
 * What the guide promises of messages that were sent with a key to deduplicate by.
 */
final class Deduplicated {

	private final Collection<Story> stories;

	/**
	 * Returns whether the end of a message frees its key.
	 */
	private final Predicate<Story> mayFreeKey;

	private final Consumer<String> violated;

	Deduplicated(Collection<Story> stories, Predicate<Story> mayFreeKey, Consumer<String> violated) {
		this.stories = stories;
		this.mayFreeKey = mayFreeKey;
		this.violated = violated;
	}

	private void check(boolean condition, String words) {
		if (!condition) {
			this.violated.accept(words);
		}
	}

	/**
	 * A message was added although others have its key: no window of those is open.
	 */
	void added(Story story) {
		if (!(story.deduplication instanceof Deduplication.FirstWins first)) {
			return;
		}
		for (Story other : this.stories) {
			if (other != story && other.hasKeyOf(story) && other.sentAt > 0 && other.sentAt < story.invokedAt
					&& !other.refused) {
				check(story.thereAt >= other.sentBy + first.window().toMillis() || this.mayFreeKey.test(other),
						story.uid + " was added " + (story.thereAt - other.sentBy) + " ms after " + other.uid
								+ " with the same key, whose window is " + first.window());
			}
		}
	}

	/**
	 * A message was not added, as another one has its key.
	 */
	void duplicate(Story story, boolean faulty) {
		long window = ((Deduplication.FirstWins) story.deduplication).window().toMillis();
		check(this.stories.stream()
			.anyMatch(
					(other) -> other != story && other.hasKeyOf(story) && (faulty || !other.refused || extends_(other))
							&& (faulty || other.thereAt == 0 || story.sentBy <= other.thereAt + window + 1)),
				story.uid + " is a duplicate, and no other message has its key");
	}

	private static boolean extends_(Story story) {
		return story.deduplication instanceof Deduplication.FirstWins first && first.extend();
	}

	/**
	 * A message took the place of another one, or its payload was added to it.
	 */
	void joined(Story story, Story other, boolean wentBack) {
		check(other.hasKeyOf(story), story.uid + " joined " + other.uid + ", which has another key");
		story.joined = other;
		if (story.deduplication instanceof Deduplication.Debounce) {
			check(other.replacedBy == null || wentBack, other.uid + " was replaced twice");
			other.replacedBy = story;
		}
	}

	/**
	 * Returns whether another message may have taken its place: one replaced it, or was
	 * sent and its sender does not know what became of it.
	 */
	boolean mayBeReplaced(Story story) {
		return story.deduplication instanceof Deduplication.Debounce && (story.replacedBy != null || this.stories
			.stream()
			.anyMatch((other) -> other != story && other.hasKeyOf(story) && !other.refused && other.sentAt == 0));
	}

	/**
	 * A handler gets payloads that were gathered.
	 */
	void gathered(Collection<Story> together, long claimed, boolean early) {
		check(together.size() <= Messages.MOST_GATHERED, "more are gathered than may be: " + together.size());
		Story first = together.iterator().next();
		for (Story each : together) {
			check(each == first || each.hasKeyOf(first), each.uid + " is gathered with another key");
		}
		check(early || together.size() == Messages.MOST_GATHERED || claimed >= first.sentBy + first.delay, first.uid
				+ " is handled " + (first.sentBy + first.delay - claimed) + " ms before its time, and is not full");
	}

	/**
	 * A message is handled that was there when a newer one came, which should have
	 * replaced it.
	 */
	void notReplaced(Story story, long claimed) {
		if (!(story.deduplication instanceof Deduplication.Debounce rule) || story.begun > 0) {
			return;
		}
		Story first = story;
		while (first.joined != null) {
			first = first.joined;
		}
		long longest = first.sentBy + rule.longestWait().toMillis();
		for (Story other : this.stories) {
			check(other == story || !other.hasKeyOf(story) || other.joined != null || other.sentAt == 0
					|| other.invokedAt < story.sentAt || story.sentAt == 0 || other.thereAt >= longest
					|| other.thereAt >= claimed,
					story.uid + " is handled, and " + other.uid + " should have replaced it");
		}
	}

}
