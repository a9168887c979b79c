package io.redelay.queue.limits;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for the names of partitions.
 */
class PartitionNameTests {

	@Test
	void theFirstPartitionHasTheNameOfTheQueue() {
		assertThat(PartitionName.of("orders", 0)).isEqualTo("orders");
		assertThat(PartitionName.of("orders", 2)).isEqualTo("orders~2");
	}

	@Test
	void aPartitionNamesItsQueue() {
		assertThat(PartitionName.queueOf("orders")).isEqualTo("orders");
		assertThat(PartitionName.queueOf("orders~12")).isEqualTo("orders");
		assertThat(PartitionName.isFurther("orders~12")).isTrue();
		assertThat(PartitionName.isFurther("orders")).isFalse();
	}

	@Test
	void noQueueHasTheNameOfAPartition() {
		assertThatIllegalArgumentException().isThrownBy(() -> QueueName.check(PartitionName.of("orders", 1)));
	}

	/**
	 * Another version, or a program in another language, must choose the same partition.
	 */
	@Test
	void theHashOfAKeyIsItsCrc32() {
		assertThat(PartitionName.ofKey("q", "123456789", 64)).isEqualTo("q~" + (0xCBF43926L % 64));
		assertThat(PartitionName.ofKey("q", "客户-7", 3)).isEqualTo("q~1");
		assertThat(PartitionName.ofKey("q", "anything", 1)).isEqualTo("q");
	}

	@Test
	void keysAreSpreadEvenly() {
		Map<String, Long> counts = IntStream.range(0, 10_000)
			.mapToObj((i) -> PartitionName.ofKey("q", "customer-" + i, 7))
			.collect(Collectors.groupingBy((name) -> name, Collectors.counting()));
		assertThat(counts).hasSize(7);
		assertThat(counts.values()).allSatisfy((count) -> assertThat(count).isBetween(1_300L, 1_560L));
	}

}
