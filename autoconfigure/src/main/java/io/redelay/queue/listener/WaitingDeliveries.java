package io.redelay.queue.listener;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The deliveries of a container that wait for a handler: a line for each queue. The
 * queues take turns. In each round, each queue that has something waiting has one turn.
 * One that begins to wait has its turn in the present round, unless it had one: so it
 * waits for no second turn of a queue that has thousands waiting, and gains nothing by
 * having few waiting at a time.
 * <p>
 * Guarded by the lock of the dispatcher.
 */
final class WaitingDeliveries {

	private final Map<String, Line> lines = new HashMap<>();

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

	int size() {
		return this.size;
	}

	boolean isEmpty() {
		return this.size == 0;
	}

	/**
	 * Adds deliveries of one queue behind those that wait.
	 */
	void addLast(List<Delivery> deliveries) {
		add(deliveries, (line) -> line.waiting.addAll(deliveries));
	}

	/**
	 * Adds deliveries of one queue before those that wait.
	 */
	void addFirst(List<Delivery> deliveries) {
		add(deliveries, (line) -> {
			for (int i = deliveries.size() - 1; i >= 0; i--) {
				line.waiting.addFirst(deliveries.get(i));
			}
		});
	}

	private void add(List<Delivery> deliveries, Consumer<Line> addition) {
		if (deliveries.isEmpty()) {
			return;
		}
		Line line = this.lines.computeIfAbsent(deliveries.get(0).owner().queue(), (queue) -> new Line());
		boolean begins = line.waiting.isEmpty();
		addition.accept(line);
		this.size += deliveries.size();
		if (begins) {
			((line.lastTurn == this.round) ? this.next : this.present).addLast(line);
		}
	}

	/**
	 * Takes from the queue whose turn it is.
	 * @param choice takes what is to be handled together from the deliveries of one
	 * queue, the first of which is the one that waits longest; nothing if they are to
	 * wait for more, so that the turn is another one's
	 * @return what was taken; empty if no queue has anything that is to be handled now
	 */
	List<Delivery> take(Function<Deque<Delivery>, List<Delivery>> choice) {
		if (this.present.isEmpty()) {
			Deque<Line> empty = this.present;
			this.present = this.next;
			this.next = empty;
			this.round++;
		}
		List<Delivery> taken = take(this.present, choice);
		return taken.isEmpty() ? take(this.next, choice) : taken;
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

	/**
	 * Returns the deliveries, those of each queue in their order.
	 */
	List<Delivery> all() {
		List<Delivery> all = new ArrayList<>(this.size);
		this.lines.values().forEach((line) -> all.addAll(line.waiting));
		return all;
	}

	/**
	 * Removes and returns those that are chosen, those of each queue in their order.
	 */
	List<Delivery> remove(Predicate<Delivery> chosen) {
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
	 * The deliveries of a queue.
	 */
	private static final class Line {

		private final Deque<Delivery> waiting = new ArrayDeque<>();

		/**
		 * The round in which the queue had its last turn.
		 */
		private long lastTurn = -1;

	}

}
