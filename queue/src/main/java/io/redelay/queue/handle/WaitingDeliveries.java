package io.redelay.queue.handle;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The deliveries of a container that wait for a handler: a line for each queue, and one
 * for each fairness key of a queue. The lines take turns. In each round, each line with
 * waiting deliveries has one turn. A line that begins to wait has its turn in the present
 * round, unless it had one. So it does not wait for a second turn of a line with
 * thousands waiting, and gains nothing by having few waiting at a time.
 * <p>
 * Where handlers take batches, a queue has one line for all of its keys, which share the
 * batches.
 * <p>
 * Guarded by the lock of the dispatcher.
 */
final class WaitingDeliveries implements WaitingLines {

	/**
	 * How many empty lines may be kept beyond the number of others.
	 */
	private static final int EMPTY_LINES = 100;

	private final boolean byKey;

	private final Map<LineName, Line> lines = new HashMap<>();

	/**
	 * The lines that have their turn in this round and have not had it.
	 */
	private Deque<Line> present = new ArrayDeque<>();

	/**
	 * The lines that have their next turn in the next round.
	 */
	private Deque<Line> next = new ArrayDeque<>();

	private long round;

	private int size;

	/**
	 * Creates empty lines.
	 * @param byKey whether a queue has a line for each fairness key
	 */
	WaitingDeliveries(boolean byKey) {
		this.byKey = byKey;
	}

	@Override
	public int size() {
		return this.size;
	}

	@Override
	public boolean isEmpty() {
		return this.size == 0;
	}

	@Override
	public void addLast(List<Delivery> deliveries) {
		add(deliveries, Deque::addLast);
	}

	@Override
	public void addFirst(List<Delivery> deliveries) {
		List<Delivery> lastOnesFirst = new ArrayList<>(deliveries);
		Collections.reverse(lastOnesFirst);
		add(lastOnesFirst, Deque::addFirst);
	}

	private void add(List<Delivery> deliveries, BiConsumer<Deque<Delivery>, Delivery> addition) {
		Line line = null;
		String keyOfLine = null;
		for (Delivery delivery : deliveries) {
			String key = this.byKey ? delivery.claim().fairnessKey() : null;
			if (line == null || !Objects.equals(key, keyOfLine)) {
				keyOfLine = key;
				line = this.lines.computeIfAbsent(new LineName(delivery.claim().context().partition(), key),
						(absent) -> new Line());
			}
			if (line.waiting.isEmpty()) {
				((line.lastTurn == this.round) ? this.next : this.present).addLast(line);
			}
			addition.accept(line.waiting, delivery);
			this.size++;
		}
	}

	@Override
	public List<Delivery> take(Function<Deque<Delivery>, List<Delivery>> choice) {
		if (this.present.isEmpty()) {
			Deque<Line> empty = this.present;
			this.present = this.next;
			this.next = empty;
			this.round++;
			removeEmptyLines();
		}
		List<Delivery> taken = take(this.present, choice);
		return taken.isEmpty() ? take(this.next, choice) : taken;
	}

	/**
	 * Removes lines without waiting deliveries. Each line may have a turn now, so the
	 * rounds of their last turns are not needed.
	 */
	private void removeEmptyLines() {
		if (this.lines.size() > 2 * this.present.size() + EMPTY_LINES) {
			this.lines.values().removeIf((line) -> line.waiting.isEmpty());
		}
	}

	private List<Delivery> take(Deque<Line> from, Function<Deque<Delivery>, List<Delivery>> choice) {
		for (Iterator<Line> each = from.iterator(); each.hasNext();) {
			Line line = each.next();
			List<Delivery> taken = choice.apply(line.waiting);
			if (!taken.isEmpty()) {
				each.remove();
				line.lastTurn = this.round;
				this.size -= taken.size();
				if (!line.waiting.isEmpty()) {
					this.next.addLast(line);
				}
				return taken;
			}
		}
		return List.of();
	}

	@Override
	public List<Delivery> all() {
		List<Delivery> all = new ArrayList<>(this.size);
		this.lines.values().forEach((line) -> all.addAll(line.waiting));
		return all;
	}

	@Override
	public List<Delivery> remove(Predicate<Delivery> chosen) {
		List<Delivery> removed = new ArrayList<>();
		for (Line line : this.lines.values()) {
			for (Iterator<Delivery> each = line.waiting.iterator(); each.hasNext();) {
				Delivery delivery = each.next();
				if (chosen.test(delivery)) {
					each.remove();
					removed.add(delivery);
				}
			}
		}
		this.size -= removed.size();
		this.present.removeIf((line) -> line.waiting.isEmpty());
		this.next.removeIf((line) -> line.waiting.isEmpty());
		return removed;
	}

	/**
	 * The queue and key that all deliveries in a line share.
	 *
	 * @param queue the queue, or the partition of one, that they were claimed from
	 * @param key their fairness key, if they have one
	 */
	private record LineName(String queue, @Nullable String key) {

	}

	private static final class Line {

		private final Deque<Delivery> waiting = new ArrayDeque<>();

		/**
		 * The round in which the line had its last turn.
		 */
		private long lastTurn = -1;

	}

}
