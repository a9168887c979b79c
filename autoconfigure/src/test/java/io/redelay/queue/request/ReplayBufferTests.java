package io.redelay.queue.request;

import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ReplayBuffer}.
 */
class ReplayBufferTests {

	@Test
	void whatIsTooOldIsForgottenAlthoughNothingIsAdded() {
		ReplayMemory memory = memory(Duration.ofNanos(1));
		ReplayBuffer<String> idle = new ReplayBuffer<>(memory);
		idle.add(1, List.of("b"), 8);
		Awaitility.await().until(() -> {
			idle.forgetOld();
			return idle.isEmpty();
		});
		assertThat(idle.last()).isOne();
	}

	@Test
	void theOldestOfAllLanesIsForgottenFirst() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		ReplayBuffer<String> first = new ReplayBuffer<>(memory);
		ReplayBuffer<String> second = new ReplayBuffer<>(memory);
		first.add(1, List.of("a"), 4);
		second.add(1, List.of("b"), 3);
		first.add(2, List.of("c"), 3);
		second.add(2, List.of("d"), 4);
		assertThat(items(first)).containsExactly("c");
		assertThat(items(second)).containsExactly("b", "d");
		second.add(3, List.of("e"), 4);
		assertThat(items(first)).isEmpty();
		assertThat(items(second)).containsExactly("d", "e");
		assertThat(first.last()).isEqualTo(2);
	}

	@Test
	void whatIsForgottenLeavesRoomForOthers() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		ReplayBuffer<String> first = new ReplayBuffer<>(memory);
		ReplayBuffer<String> second = new ReplayBuffer<>(memory);
		first.add(1, List.of("a"), 10);
		first.forgetAll();
		second.add(1, List.of("b"), 5);
		first.add(2, List.of("c"), 5);
		assertThat(items(first)).containsExactly("c");
		assertThat(items(second)).containsExactly("b");
	}

	@Test
	void aRequestThatIsTooLargePushesOutNoOthers() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		ReplayBuffer<String> first = new ReplayBuffer<>(memory);
		ReplayBuffer<String> second = new ReplayBuffer<>(memory);
		first.add(1, List.of("a"), 10);
		second.add(1, List.of("b"), 11);
		assertThat(items(first)).containsExactly("a");
		assertThat(second.isEmpty()).isTrue();
		assertThat(second.last()).isOne();
	}

	@Test
	void whatBeginsANewLanePushesOutNoOthers() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		ReplayBuffer<String> first = new ReplayBuffer<>(memory);
		ReplayBuffer<String> second = new ReplayBuffer<>(memory);
		second.add(1, List.of("a"), 3);
		first.add(1, List.of("b"), 3);
		first.add(2, List.of("c"), 4);
		first.beginWith(first.after(0));
		assertThat(first.after(0)).extracting(ReplayBuffer.Entry::seq).containsExactly(1L, 2L);
		assertThat(items(first)).containsExactly("b", "c");
		assertThat(items(second)).containsExactly("a");
	}

	@Test
	void aClosedMemoryRemembersNothing() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		memory.close();
		ReplayBuffer<String> buffer = new ReplayBuffer<>(memory);
		buffer.add(1, List.of("a"), 1);
		assertThat(buffer.isEmpty()).isTrue();
	}

	private static List<String> items(ReplayBuffer<String> buffer) {
		return buffer.after(0).stream().flatMap((entry) -> entry.items().stream()).toList();
	}

	private static ReplayMemory memory(Duration duration) {
		return new ReplayMemory(duration, 10, (rollback) -> {
		});
	}

}
