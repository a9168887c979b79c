package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

/**
 * One step of a search over all queues, for a text that is the id, a tag or a key of a
 * message, or a part of what it failed by. What is found without looking at all messages
 * comes first: ids, then tags. It looks only at what each reader of a list sees.
 */
final class SearchOfAllQueues {

	/**
	 * After so many queues, messages or bytes, or so long, a step ends with what it has.
	 */
	private static final int MAX_QUEUES = 200;

	private static final int MAX_EXAMINED = 1000;

	private static final long MAX_BYTES = 4 * 1024 * 1024;

	private static final Duration LONGEST = Duration.ofMillis(1500);

	private static final int MAX_MESSAGES = 100;

	private static final int DEFAULT_MESSAGES = 50;

	private final MessageReads reads;

	private final List<String> queues;

	private final Set<MessageState> states;

	private final @Nullable String text;

	private final List<Way> ways;

	private final int limit;

	private final Place start;

	/**
	 * Reads a request.
	 * @param queues the queues, in alphabetical order
	 * @param parameters {@code q}, {@code by}, {@code state}, {@code cursor} and
	 * {@code limit}
	 */
	SearchOfAllQueues(MessageReads reads, Collection<QueueSnapshot> queues, RequestParameters parameters) {
		this.reads = reads;
		this.states = Parameters.words("state", parameters.get("state"), FilterParameters.STATES);
		this.text = parameters.text("q");
		By by = Parameters.word("by", parameters.get("by"), EnumSet.allOf(By.class));
		this.ways = ways(this.text, (by != null) ? by : By.ANY);
		this.limit = Parameters.number("limit", parameters.get("limit"), 1, MAX_MESSAGES, DEFAULT_MESSAGES);
		this.queues = queues.stream()
			.filter((queue) -> hasSome(queue.info()))
			.map(QueueSnapshot::queue)
			.sorted()
			.toList();
		String cursor = parameters.text("cursor");
		this.start = (cursor != null) ? place(cursor) : new Place(this.ways.get(0), "", null);
	}

	private static List<Way> ways(@Nullable String text, By by) {
		if (text == null) {
			return List.of(Way.ALL);
		}
		return switch (by) {
			case ID -> List.of(Way.ID);
			case TAG -> List.of(checkedTag(text));
			case KEY -> List.of(Way.KEY);
			case CAUSE -> List.of(Way.CAUSE);
			case ANY -> (TagName.problem(text) == null) ? List.of(Way.ID, Way.TAG, Way.KEY_OR_CAUSE)
					: List.of(Way.ID, Way.KEY_OR_CAUSE);
		};
	}

	private static Way checkedTag(String text) {
		String problem = TagName.problem(text);
		if (problem != null) {
			throw RequestException.badParameter("q", "'q' " + problem + ": " + ErrorView.quote(text));
		}
		return Way.TAG;
	}

	private Place place(String cursor) {
		String[] parts = cursor.split("~", 3);
		if (parts.length == 3) {
			for (Way way : this.ways) {
				if (way.name().equals(parts[0])) {
					return new Place(way, parts[1], parts[2].isEmpty() ? null : parts[2]);
				}
			}
		}
		throw RequestException.badParameter("cursor",
				"'cursor' must be one that a search with the same parameters gave: " + ErrorView.quote(cursor));
	}

	private boolean hasSome(QueueInfo info) {
		return (this.states.isEmpty() ? FilterParameters.STATES : this.states).stream()
			.anyMatch((state) -> switch (state) {
				case SCHEDULED -> info.scheduled() > 0;
				case READY -> info.ready() > 0;
				case IN_FLIGHT -> info.inFlight() > 0;
				case DEAD -> info.dead() > 0;
				case COMPLETED -> info.completed() > 0;
				case UNKNOWN -> false;
			});
	}

	/**
	 * Searches on for a while.
	 * @param nanoTime the clock
	 */
	SearchPage step(LongSupplier nanoTime) {
		List<QueuedMessage> found = new ArrayList<>();
		int examined = 0;
		int asked = 0;
		long bytes = 0;
		long begun = nanoTime.getAsLong();
		Place next = atAQueue(this.start);
		while (next != null && found.size() < this.limit && examined < MAX_EXAMINED && bytes < MAX_BYTES
				&& asked < MAX_QUEUES && (asked == 0 || nanoTime.getAsLong() - begun < LONGEST.toNanos())) {
			SearchPage page = search(next, this.limit - found.size());
			found.addAll(page.messages());
			examined += page.examined();
			bytes += page.messages().stream().mapToLong((message) -> message.payload().length).sum();
			asked++;
			next = (page.cursor() != null) ? new Place(next.way(), next.queue(), page.cursor()) : after(next);
		}
		return new SearchPage(found, (next != null) ? next.toString() : null, examined);
	}

	private SearchPage search(Place place, int limit) {
		MessageFilter all = MessageFilter.all().states(this.states);
		String wanted = (this.text != null) ? this.text : "";
		try {
			return switch (place.way()) {
				case ALL -> this.reads.search(place.queue(), all, place.inner(), limit);
				case ID -> this.reads.search(place.queue(), all.id(wanted), place.inner(), limit);
				case TAG -> this.reads.search(place.queue(), all.tag(wanted), place.inner(), limit);
				case KEY -> shown(place, limit, hasKey(wanted));
				case CAUSE -> shown(place, limit, failedBy(wanted));
				case KEY_OR_CAUSE -> shown(place, limit, hasKey(wanted).or(failedBy(wanted)));
			};
		}
		catch (UnknownQueueException ex) {
			return new SearchPage(List.of(), null, 0);
		}
	}

	private SearchPage shown(Place place, int limit, Predicate<QueuedMessage> matching) {
		return this.reads.searchShown(place.queue(), MessageFilter.all().states(this.states), place.inner(), limit,
				matching);
	}

	private static Predicate<QueuedMessage> hasKey(String key) {
		return (message) -> key.equals(message.orderingKey()) || key.equals(message.fairnessKey());
	}

	private static Predicate<QueuedMessage> failedBy(String cause) {
		String part = cause.toLowerCase(Locale.ROOT);
		return (message) -> {
			List<FailedAttempt> history = message.history();
			FailedAttempt last = (message.death() != null) ? message.death()
					: history.isEmpty() ? null : history.get(history.size() - 1);
			return last != null && (contains(last.message(), part) || contains(last.exception(), part));
		};
	}

	private static boolean contains(@Nullable String text, String part) {
		return text != null && text.toLowerCase(Locale.ROOT).contains(part);
	}

	/**
	 * The place itself, or the next one if its queue is not there any more.
	 */
	private @Nullable Place atAQueue(Place place) {
		return this.queues.contains(place.queue()) ? place : after(place);
	}

	private @Nullable Place after(Place place) {
		for (String queue : this.queues) {
			if (queue.compareTo(place.queue()) > 0) {
				return new Place(place.way(), queue, null);
			}
		}
		int way = this.ways.indexOf(place.way()) + 1;
		return (way < this.ways.size() && !this.queues.isEmpty())
				? new Place(this.ways.get(way), this.queues.get(0), null) : null;
	}

	/**
	 * What a text is.
	 */
	enum By {

		ANY, ID, TAG, KEY, CAUSE

	}

	/**
	 * How a queue is searched.
	 */
	private enum Way {

		ALL, ID, TAG, KEY, CAUSE, KEY_OR_CAUSE

	}

	/**
	 * Where a step begins.
	 *
	 * @param queue the queue
	 * @param inner the place in the queue, or {@code null} for its beginning
	 */
	private record Place(Way way, String queue, @Nullable String inner) {

		@Override
		public String toString() {
			return this.way + "~" + this.queue + "~" + ((this.inner != null) ? this.inner : "");
		}

	}

}
