package io.redelay.queue.handle;

import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The deliveries of a container whose queues have weights, or a strict order. Within a
 * queue, its partitions and fairness keys take turns.
 * <p>
 * With weights, a queue has as many turns in a round as its weight says, and the round
 * ends when no queue with waiting deliveries has a turn left. In a strict order, a queue
 * has its turn when no deliveries of the queues before it wait here, and none of these
 * may bring more at once.
 */
final class OrderedDeliveries implements WaitingLines {

	private final QueueOrder order;

	private final Predicate<String> ahead;

	private final Map<String, WaitingDeliveries> queues = new LinkedHashMap<>();

	/**
	 * How many turns each queue has left in this round.
	 */
	private final Map<String, Integer> turns = new LinkedHashMap<>();

	OrderedDeliveries(QueueOrder order, boolean byKey, Predicate<String> ahead) {
		this.order = order;
		this.ahead = ahead;
		order.queues().forEach((queue) -> this.queues.put(queue, new WaitingDeliveries(byKey)));
		beginRound();
	}

	private void beginRound() {
		this.order.queues().forEach((queue) -> this.turns.put(queue, this.order.weight(queue)));
	}

	@Override
	public int size() {
		return this.queues.values().stream().mapToInt(WaitingDeliveries::size).sum();
	}

	@Override
	public boolean isEmpty() {
		return this.queues.values().stream().allMatch(WaitingDeliveries::isEmpty);
	}

	@Override
	public void addLast(List<Delivery> deliveries) {
		if (!deliveries.isEmpty()) {
			queue(deliveries).addLast(deliveries);
		}
	}

	@Override
	public void addFirst(List<Delivery> deliveries) {
		if (!deliveries.isEmpty()) {
			queue(deliveries).addFirst(deliveries);
		}
	}

	private WaitingDeliveries queue(List<Delivery> deliveries) {
		return Objects.requireNonNull(this.queues.get(deliveries.get(0).queue()));
	}

	@Override
	public List<Delivery> take(Function<Deque<Delivery>, List<Delivery>> choice) {
		if (this.order.strict()) {
			return takeInOrder(choice);
		}
		List<Delivery> taken = takeInRound(choice);
		if (taken.isEmpty() && !isEmpty()) {
			beginRound();
			taken = takeInRound(choice);
		}
		return taken;
	}

	private List<Delivery> takeInOrder(Function<Deque<Delivery>, List<Delivery>> choice) {
		for (Map.Entry<String, WaitingDeliveries> queue : this.queues.entrySet()) {
			if (!queue.getValue().isEmpty()) {
				List<Delivery> taken = this.ahead.test(queue.getKey()) ? List.of() : queue.getValue().take(choice);
				if (!taken.isEmpty()) {
					return taken;
				}
			}
		}
		return List.of();
	}

	/**
	 * Takes from the queue that has most of its turns left, so that the turns of a queue
	 * are spread over the round.
	 */
	private List<Delivery> takeInRound(Function<Deque<Delivery>, List<Delivery>> choice) {
		List<String> rivals = new ArrayList<>(this.queues.keySet());
		rivals.removeIf((queue) -> left(queue) == 0);
		rivals.sort((one, other) -> Double.compare(share(other), share(one)));
		for (String queue : rivals) {
			List<Delivery> taken = Objects.requireNonNull(this.queues.get(queue)).take(choice);
			if (!taken.isEmpty()) {
				this.turns.put(queue, left(queue) - 1);
				return taken;
			}
		}
		return List.of();
	}

	private int left(String queue) {
		return this.turns.getOrDefault(queue, 0);
	}

	private double share(String queue) {
		return (double) left(queue) / this.order.weight(queue);
	}

	@Override
	public List<Delivery> all() {
		List<Delivery> all = new ArrayList<>(size());
		this.queues.values().forEach((each) -> all.addAll(each.all()));
		return all;
	}

	@Override
	public List<Delivery> remove(Predicate<Delivery> chosen) {
		List<Delivery> removed = new ArrayList<>();
		this.queues.values().forEach((each) -> removed.addAll(each.remove(chosen)));
		return removed;
	}

}
