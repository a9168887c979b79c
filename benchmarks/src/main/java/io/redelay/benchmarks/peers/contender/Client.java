package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What the library of a contender offers to an application in Java.
 */
interface Client extends AutoCloseable {

	/**
	 * Sends, and returns when the message is in Redis.
	 */
	default void send(Order order) {
		throw new NotOfferedException("no messages that are due at once");
	}

	default CompletionStage<?> sendAsync(Order order) {
		throw new NotOfferedException("no sending without waiting");
	}

	/**
	 * Sends with one request.
	 */
	default void sendAll(List<Order> orders) {
		throw new NotOfferedException("no sending of several with one request");
	}

	default void sendLater(Order order, Duration delay) {
		throw new NotOfferedException("no delays");
	}

	default void sendAllLater(List<Order> orders, Duration delay) {
		throw new NotOfferedException("no sending of several with one request");
	}

	/**
	 * Starts the handlers.
	 */
	void listen();

	/**
	 * How many messages, due or in the hands of handlers, are in Redis still.
	 */
	long left();

	@Override
	void close();

}
