package io.redelay.benchmarks.peers.item;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.redelay.benchmarks.peers.contender.Sending;

/**
 * All pieces of work.
 *
 * @since 0.1.0
 */
public final class Items {

	private Items() {
	}

	/**
	 * Returns all items, in the order in which they are done.
	 * @param others how many other messages are scheduled while lateness is measured
	 * @param queues how many queues there are while idleness is measured
	 * @param latency how long latency is measured
	 * @param idle how long idleness is measured
	 * @return the items
	 */
	public static List<Item> all(List<Integer> others, List<Integer> queues, Duration latency, Duration idle) {
		List<Item> items = new ArrayList<>();
		for (Sending sending : Sending.values()) {
			items.add(new SendItem(sending));
		}
		items.add(new DrainItem());
		items.add(new BothItem());
		items.add(new LatencyItem(latency));
		others.forEach((number) -> items.add(new LatenessItem(number)));
		items.add(new MemoryItem(false));
		items.add(new MemoryItem(true));
		queues.forEach((number) -> items.add(new IdleItem(number, idle)));
		return items;
	}

}
