package io.redelay.queue.store;

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
	void whatIsForgottenLeavesRoomForOthers() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		ReplayBuffer<String> first = new ReplayBuffer<>(memory);
		ReplayBuffer<String> second = new ReplayBuffer<>(memory);
		first.add(1, List.of("a"), 10);
		second.add(1, List.of("b"), 5);
		assertThat(second.isEmpty()).isTrue();
		first.forgetAll();
		second.add(2, List.of("c"), 5);
		assertThat(second.after(0)).hasSize(1);
	}

	@Test
	void aClosedMemoryRemembersNothing() {
		ReplayMemory memory = memory(Duration.ofMinutes(1));
		memory.close();
		ReplayBuffer<String> buffer = new ReplayBuffer<>(memory);
		buffer.add(1, List.of("a"), 1);
		assertThat(buffer.isEmpty()).isTrue();
	}

	private static ReplayMemory memory(Duration duration) {
		return new ReplayMemory(duration, 10, (rollback) -> {
		});
	}

}
