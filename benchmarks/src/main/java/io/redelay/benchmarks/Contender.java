package io.redelay.benchmarks;

import java.util.concurrent.CompletableFuture;

/**
 * Something that takes messages and gives them back in batches.
 */
interface Contender {

	/**
	 * The name in the report.
	 */
	String name();

	/**
	 * Sends messages together.
	 */
	CompletableFuture<?> send(int count);

	/**
	 * Takes all messages, a batch at a time; each request also acknowledges the batch
	 * before.
	 * @return how many messages there were
	 */
	int drain(int batch);

}
