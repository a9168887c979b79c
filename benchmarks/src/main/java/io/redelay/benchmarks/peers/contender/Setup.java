package io.redelay.benchmarks.peers.contender;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a contender is to be prepared for.
 *
 * @param queues how many queues it listens to; messages go to the first
 * @param concurrency how many handlers run at the same time, where a contender leaves
 * that to its user
 * @since 0.1.0
 */
public record Setup(int queues, int concurrency) {

	String queue() {
		return "orders-0";
	}

	List<String> names() {
		return IntStream.range(0, this.queues).mapToObj((number) -> "orders-" + number).toList();
	}

}
