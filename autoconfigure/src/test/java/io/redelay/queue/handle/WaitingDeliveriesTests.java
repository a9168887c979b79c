package io.redelay.queue.handle;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;

import io.redelay.queue.script.ClaimReply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WaitingDeliveries}.
 */
class WaitingDeliveriesTests {

	private final WaitingDeliveries waiting = new WaitingDeliveries(true);

	@Test
	void aQueueByItselfKeepsItsOrder() {
		addLast("a", 1, 2);
		addLast("a", 3);
		addFirst("a", 4, 5);
		assertThat(this.waiting.size()).isEqualTo(5);
		assertThat(takeAll()).containsExactly("a4", "a5", "a1", "a2", "a3");
		assertThat(this.waiting.isEmpty()).isTrue();
		addLast("a", 6);
		assertThat(takeAll()).containsExactly("a6");
	}

	@Test
	void queuesTakeTurns() {
		addLast("a", 1, 2, 3, 4);
		addLast("b", 1, 2);
		addLast("c", 1);
		assertThat(takeAll()).containsExactly("a1", "b1", "c1", "a2", "b2", "a3", "a4");
	}

	@Test
	void aQueueThatBeginsToWaitIsNextAfterOneTurnOfABusyOne() {
		addLast("hot", 1, 2, 3, 4);
		assertThat(take()).isEqualTo("hot1");
		addLast("quiet", 1);
		assertThat(takeAll()).containsExactly("quiet1", "hot2", "hot3", "hot4");
	}

	@Test
	void aQueueThatSendsOneAtATimeHasOneTurnARound() {
		addLast("hot", 1, 2, 3, 4);
		addLast("quiet", 1);
		List<String> taken = new ArrayList<>();
		for (int i = 2; i < 6; i++) {
			taken.add(take());
			taken.add(take());
			addLast("quiet", i);
		}
		assertThat(taken).containsExactly("hot1", "quiet1", "hot2", "quiet2", "hot3", "quiet3", "hot4", "quiet4");
	}

	@Test
	void aQueueThatIsToWaitForMoreLeavesItsTurnToTheOthersAndKeepsIt() {
		addLast("a", 1);
		addLast("b", 1, 2, 3, 4);
		assertThat(takePair()).containsExactly("b1", "b2");
		addLast("a", 2);
		assertThat(takePair()).containsExactly("a1", "a2");
		assertThat(takePair()).containsExactly("b3", "b4");
		addLast("b", 5);
		assertThat(takePair()).isEmpty();
		assertThat(this.waiting.size()).isEqualTo(1);
	}

	@Test
	void fairnessKeysOfAQueueTakeTurns() {
		this.waiting.addLast(keyed("loud", 1, 2, 3));
		assertThat(take()).isEqualTo("loud1");
		this.waiting.addLast(keyed("quiet", 1));
		addLast("orders", 1, 2);
		assertThat(takeAll()).containsExactly("quiet1", "orders1", "loud2", "orders2", "loud3");
	}

	@Test
	void keysShareBatches() {
		WaitingDeliveries batches = new WaitingDeliveries(false);
		batches.addLast(keyed("a", 1));
		batches.addLast(keyed("b", 1));
		assertThat(batches.take(WaitingDeliveriesTests::pair)).extracting(Delivery::uid).containsExactly("a1", "b1");
	}

	@Test
	void keysThatHaveNothingWaitingAreForgottenAndWorkAgain() {
		for (int round = 0; round < 3; round++) {
			for (int i = 0; i < 1000; i++) {
				this.waiting.addLast(keyed("k" + i, round));
			}
			assertThat(takeAll()).hasSize(1000).startsWith("k0" + round).endsWith("k999" + round);
		}
	}

	@Test
	void whatIsRemovedIsInItsOrderAndHasNoTurn() {
		addLast("a", 1, 2, 3);
		addLast("b", 1);
		addLast("c", 1);
		assertThat(this.waiting.remove((delivery) -> !delivery.queue().equals("c") && !delivery.uid().equals("a3")))
			.extracting(Delivery::uid)
			.containsExactlyInAnyOrder("a1", "a2", "b1")
			.containsSubsequence("a1", "a2");
		assertThat(this.waiting.all()).extracting(Delivery::uid).containsExactlyInAnyOrder("a3", "c1");
		addLast("b", 2);
		assertThat(takeAll()).containsExactly("a3", "c1", "b2");
	}

	private void addLast(String queue, int... numbers) {
		this.waiting.addLast(deliveries(queue, numbers));
	}

	private void addFirst(String queue, int... numbers) {
		this.waiting.addFirst(deliveries(queue, numbers));
	}

	private List<String> takeAll() {
		List<String> taken = new ArrayList<>();
		while (!this.waiting.isEmpty()) {
			taken.add(take());
		}
		return taken;
	}

	private String take() {
		return this.waiting.take((line) -> List.of(line.remove())).get(0).uid();
	}

	private List<String> takePair() {
		return this.waiting.take(WaitingDeliveriesTests::pair).stream().map(Delivery::uid).toList();
	}

	private static List<Delivery> pair(Deque<Delivery> line) {
		return (line.size() < 2) ? List.of() : List.of(line.remove(), line.remove());
	}

	private static List<Delivery> keyed(String key, int... numbers) {
		byte[] envelope = "{\"sentAt\":1,\"v\":1,\"fairnessKey\":\"%s\",\"payload\":1}".formatted(key)
			.getBytes(StandardCharsets.UTF_8);
		return deliveries("orders", key, envelope, numbers);
	}

	private static List<Delivery> deliveries(String queue, int... numbers) {
		return deliveries(queue, queue, new byte[0], numbers);
	}

	private static List<Delivery> deliveries(String queue, String prefix, byte[] envelope, int... numbers) {
		return IntStream.of(numbers)
			.mapToObj((number) -> new Delivery(new IdleOwner(), Deliveries.context(queue, queue, null),
					new ClaimReply.Message(prefix + number, 1, 0, 0, false, envelope), 0, Instant.EPOCH, 0))
			.toList();
	}

}
