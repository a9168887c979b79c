package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.redelay.test.VirtualTime;

/**
 * Carries requests to the server and replies back, in any order. While it is faulty some
 * take long, and some requests and replies are lost.
 */
final class SimulatedNetwork {

	private static final double LOSS = 0.05;

	private static final double TWICE = 0.02;

	private final VirtualTime time;

	private final Random random;

	private final Consumer<String> counter;

	private boolean faulty;

	/**
	 * Creates a network.
	 * @param counter is called with the name of what fails
	 */
	SimulatedNetwork(VirtualTime time, Random random, boolean faulty, Consumer<String> counter) {
		this.counter = counter;
		this.time = time;
		this.random = random;
		this.faulty = faulty;
	}

	/**
	 * Loses nothing from now on.
	 */
	void heal() {
		this.faulty = false;
	}

	/**
	 * Sends a request.
	 * @param request is carried out by the server if it arrives
	 * @param reply gets the answer if that arrives
	 */
	<T> void send(Supplier<T> request, Consumer<T> reply) {
		Runnable arrival = () -> {
			T answer = request.get();
			carry(() -> reply.accept(answer));
		};
		carry(arrival);
		if (this.faulty && this.random.nextDouble() < TWICE) {
			this.counter.accept("requests sent twice");
			carry(arrival);
		}
	}

	/**
	 * Makes a request on a connection of the calling thread, which waits for the reply.
	 * If none comes, the request was lost, or arrives later, or its reply was lost.
	 * @return the reply, or nothing if it is unknown whether the request was or will be
	 * carried out
	 */
	<T> Optional<T> call(Supplier<T> request) {
		if (isLost()) {
			this.counter.accept("connections of callers lost");
			carry(request::get);
			return Optional.empty();
		}
		T answer = request.get();
		if (isLost()) {
			this.counter.accept("connections of callers lost");
			return Optional.empty();
		}
		return Optional.of(answer);
	}

	/**
	 * Carries something one way, unless it is lost.
	 */
	void carry(Runnable arrival) {
		if (isLost()) {
			this.counter.accept("requests, replies or wake-ups lost");
		}
		else {
			boolean slow = this.faulty && this.random.nextDouble() < LOSS;
			if (slow) {
				this.counter.accept("requests, replies or wake-ups late");
			}
			Duration delay = slow ? SimulatedInstance.millis(this.random, 10, 3000)
					: SimulatedInstance.millis(this.random, 0, 3);
			this.time.schedule(arrival, delay);
		}
	}

	private boolean isLost() {
		return this.faulty && this.random.nextDouble() < LOSS;
	}

}
