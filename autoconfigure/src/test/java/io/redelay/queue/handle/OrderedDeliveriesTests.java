package io.redelay.queue.handle;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.redelay.queue.script.ClaimReply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OrderedDeliveries}.
 */
class OrderedDeliveriesTests {

	private static final List<String> QUEUES = List.of("a", "b", "c");

	/**
	 * The queues before which another one may bring more at once.
	 */
	private final Set<String> behind = new HashSet<>();

	@Test
	void inAStrictOrderTheFirstQueueThatHasSomethingGoes() {
		WaitingLines waiting = strict();
		waiting.addLast(deliveries("c", 2));
		waiting.addLast(deliveries("b", 2));
		assertThat(take(waiting)).isEqualTo("b0");
		waiting.addLast(deliveries("a", 2));
		assertThat(takeAll(waiting)).containsExactly("a0", "a1", "b1", "c0", "c1");
	}

	@Test
	void inAStrictOrderAQueueWaitsForWhatOneBeforeItMayBring() {
		WaitingLines waiting = strict();
		waiting.addLast(deliveries("b", 2));
		this.behind.add("b");
		assertThat(waiting.take((line) -> List.of(line.remove()))).isEmpty();
		assertThat(waiting.size()).isEqualTo(2);
		waiting.addLast(deliveries("a", 1));
		assertThat(take(waiting)).isEqualTo("a0");
		this.behind.clear();
		assertThat(takeAll(waiting)).containsExactly("b0", "b1");
	}

	@Test
	void aQueueHasAsManyTurnsInARoundAsItsWeightSays() {
		WaitingLines waiting = weighted();
		QUEUES.forEach((queue) -> waiting.addLast(deliveries(queue, 12)));
		List<String> taken = takeAll(waiting);
		for (int round = 0; round < 4; round++) {
			List<String> queues = taken.subList(6 * round, 6 * round + 6)
				.stream()
				.map((uid) -> uid.substring(0, 1))
				.toList();
			assertThat(queues).containsExactlyInAnyOrder("a", "a", "a", "b", "b", "c");
			assertThat(queues.subList(0, 3)).as("spread over the round").containsExactlyInAnyOrder("a", "b", "c");
		}
		assertThat(taken).hasSize(36).doesNotHaveDuplicates();
	}

	@Test
	void noTurnIsLeftUnusedWhileAnythingWaits() {
		WaitingLines waiting = weighted();
		waiting.addLast(deliveries("c", 5));
		assertThat(takeAll(waiting)).containsExactly("c0", "c1", "c2", "c3", "c4");
		assertThat(waiting.isEmpty()).isTrue();
	}

	@Test
	void partitionsOfAQueueShareItsTurns() {
		WaitingLines waiting = weighted();
		waiting.addLast(deliveries("b", "b", 6));
		waiting.addLast(deliveries("b", "b~1", 6));
		waiting.addLast(deliveries("c", 6));
		List<String> taken = takeAll(waiting).subList(0, 9).stream().map((uid) -> uid.substring(0, 1)).toList();
		assertThat(taken).filteredOn("b"::equals).hasSize(6);
		assertThat(waiting.all()).isEmpty();
	}

	@Test
	void whatIsPutBackOrRemovedKeepsItsOrder() {
		WaitingLines waiting = strict();
		waiting.addLast(deliveries("a", 3));
		List<Delivery> taken = waiting.take((line) -> List.of(line.remove(), line.remove()));
		waiting.addFirst(taken);
		assertThat(waiting.all()).extracting(Delivery::uid).containsExactly("a0", "a1", "a2");
		assertThat(waiting.remove((delivery) -> !delivery.uid().equals("a1"))).extracting(Delivery::uid)
			.containsExactly("a0", "a2");
		assertThat(takeAll(waiting)).containsExactly("a1");
	}

	private WaitingLines strict() {
		return WaitingLines.of(new QueueOrder(QUEUES, true, Map.of()), true, this.behind::contains);
	}

	private WaitingLines weighted() {
		return WaitingLines.of(new QueueOrder(QUEUES, false, Map.of("a", 3, "b", 2)), true, (queue) -> false);
	}

	private static List<String> takeAll(WaitingLines waiting) {
		List<String> taken = new ArrayList<>();
		while (!waiting.isEmpty()) {
			taken.add(take(waiting));
		}
		return taken;
	}

	private static String take(WaitingLines waiting) {
		return waiting.take((line) -> List.of(line.remove())).get(0).uid();
	}

	private static List<Delivery> deliveries(String queue, int count) {
		return deliveries(queue, queue, count);
	}

	private static List<Delivery> deliveries(String queue, String partition, int count) {
		return IntStream.range(0, count)
			.mapToObj((number) -> new Delivery(new IdleOwner(), Deliveries.context(queue, partition, null),
					new ClaimReply.Message(partition + number, 1, 0, 0, false, new byte[0]), 0, Instant.EPOCH, 0))
			.toList();
	}

}
