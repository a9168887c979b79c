package io.redelay.queue.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageFilter;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.SearchPage;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.limits.TagName;
import org.jspecify.annotations.Nullable;

/**
 * One step of a search over all queues, for a text that is the id, a tag or a key of a
 * message, or a part of what it failed by. What is found without looking at all messages
 * comes first: ids, then tags. It looks only at what each reader of a list sees.
 */
final class SearchOfAllQueues {

	/**
	 * After so many queues or so long a step ends with what it has, beside what
	 * {@link MessageReads.Budget} bounds.
	 */
	private static final int MAX_QUEUES = 200;

	private static final Duration LONGEST = Duration.ofMillis(1500);

	private static final int MAX_MESSAGES = 100;

	private static final int DEFAULT_MESSAGES = 50;

	private final MessageReads reads;

	/** In alphabetical order. */
	private final List<String> queues;

	/** Those that had none of the wanted messages at the last look. */
	private final Set<String> empty;

	private final Set<MessageState> states;

	private final @Nullable String text;

	private final List<Way> ways;

	private final int limit;

	private final Place start;

	/** Those that could not be searched. */
	private final Set<String> failed = new TreeSet<>();

	/**
	 * Reads a request.
	 * @param queues the names of the queues as they are now
	 * @param look what the last look has seen in them
	 * @param parameters {@code q}, {@code by}, {@code state}, {@code cursor} and
	 * {@code limit}
	 */
	SearchOfAllQueues(MessageReads reads, Collection<String> queues, Map<String, QueueSnapshot> look,
			RequestParameters parameters) {
		this.reads = reads;
		this.states = Parameters.words("state", parameters.get("state"), FilterParameters.STATES);
		this.text = parameters.text("q");
		By by = Parameters.word("by", parameters.get("by"), EnumSet.allOf(By.class));
		this.ways = ways(this.text, (by != null) ? by : By.ANY);
		this.limit = Parameters.number("limit", parameters.get("limit"), 1, MAX_MESSAGES, DEFAULT_MESSAGES);
		this.queues = queues.stream().sorted().toList();
		this.empty = new HashSet<>();
		look.forEach((queue, seen) -> {
			if (!hasSome(seen.info())) {
				this.empty.add(queue);
			}
		});
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
		Set<String> seen = new HashSet<>(); // living ones may be; copies of a topic have
											// one uid
		int asked = 0;
		long begun = nanoTime.getAsLong();
		MessageReads.Budget budget = new MessageReads.Budget(() -> nanoTime.getAsLong() - begun < LONGEST.toNanos());
		Place next = atAQueue(this.start);
		while (next != null && found.size() < this.limit && asked < MAX_QUEUES && (asked == 0 || budget.isLeft())) {
			Place place = next;
			SearchPage page = search(place, this.limit - found.size(), budget);
			page.messages()
				.stream()
				.filter((message) -> !isFoundBefore(place, message) && seen.add(message.queue() + ' ' + message.uid()))
				.forEach(found::add);
			asked++;
			next = (page.cursor() != null) ? new Place(place.way(), place.queue(), page.cursor()) : after(place);
		}
		return new SearchPage(found, (next != null) ? next.toString() : null, budget.examined());
	}

	private SearchPage search(Place place, int limit, MessageReads.Budget budget) {
		MessageFilter all = all();
		String wanted = wanted();
		try {
			return switch (place.way()) {
				case ALL -> budget.take(this.reads.search(place.queue(), all, place.inner(), limit));
				case ID -> budget.take(named(place.queue()));
				case TAG -> budget.take(this.reads.search(place.queue(), all.tag(wanted), place.inner(), limit));
				case KEY -> shown(place, limit, hasKey(wanted), budget);
				case CAUSE -> shown(place, limit, failedBy(wanted), budget);
				case KEY_OR_CAUSE -> shown(place, limit, hasKey(wanted).or(failedBy(wanted)), budget);
			};
		}
		catch (UnknownQueueException ex) {
			return new SearchPage(List.of(), null, 0);
		}
		catch (QueueBackendException ex) {
			if (!StoreCalls.isRefusal(ex)) {
				throw ex;
			}
			this.failed.add(place.queue());
			return new SearchPage(List.of(), null, 0);
		}
	}

	/**
	 * The queues that the step could not search, though it could others.
	 */
	List<String> failed() {
		return List.copyOf(this.failed);
	}

	private SearchPage shown(Place place, int limit, Predicate<QueuedMessage> matching, MessageReads.Budget budget) {
		return this.reads.searchShown(place.queue(), all(), place.inner(), limit, matching, budget);
	}

	private SearchPage named(String queue) {
		return this.reads.search(queue, all().id(wanted()), null, this.limit);
	}

	private MessageFilter all() {
		return MessageFilter.all().states(this.states);
	}

	private String wanted() {
		return (this.text != null) ? this.text : "";
	}

	/**
	 * Whether an earlier way of this search has found the message. Not each message is
	 * found by its id: a newer one may have that of a dead one.
	 */
	private boolean isFoundBefore(Place place, QueuedMessage message) {
		String wanted = wanted();
		for (Way way : this.ways.subList(0, this.ways.indexOf(place.way()))) {
			boolean isFound = (way == Way.TAG) ? message.tags().contains(wanted)
					: (wanted.equals(message.id()) || wanted.equals(message.uid())) && isNamed(message);
			if (isFound) {
				return true;
			}
		}
		return false;
	}

	private boolean isNamed(QueuedMessage message) {
		return named(message.queue()).messages().stream().anyMatch((named) -> named.uid().equals(message.uid()));
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
		return (this.queues.contains(place.queue()) && isSearched(place.way(), place.queue())) ? place : after(place);
	}

	private @Nullable Place after(Place place) {
		String before = place.queue();
		for (Way way : this.ways.subList(this.ways.indexOf(place.way()), this.ways.size())) {
			for (String queue : this.queues) {
				if (queue.compareTo(before) > 0 && isSearched(way, queue)) {
					return new Place(way, queue, null);
				}
			}
			before = "";
		}
		return null;
	}

	/**
	 * Ids and tags are looked up in each queue. All messages are read only of those that
	 * had some at the last look, and of newer ones.
	 */
	private boolean isSearched(Way way, String queue) {
		return way == Way.ID || way == Way.TAG || !this.empty.contains(queue);
	}

	/**
	 * Whether the last look decides which queues are searched.
	 */
	boolean isByTheLastLook() {
		return this.ways.stream().anyMatch((way) -> way != Way.ID && way != Way.TAG);
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
