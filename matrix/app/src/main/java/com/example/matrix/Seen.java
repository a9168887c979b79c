package com.example.matrix;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

import org.springframework.stereotype.Component;

/**
 * What handlers were called with.
 */
@Component
public class Seen {

	private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();

	public void note(String handler, Item item) {
		boolean virtual = Thread.currentThread().toString().startsWith("VirtualThread");
		this.calls.add(new Call(handler, item, System.nanoTime(), virtual));
	}

	List<Call> of(String handler, String run) {
		return matching((call) -> call.handler().equals(handler) && call.item().run().equals(run));
	}

	List<Call> matching(Predicate<Call> condition) {
		return this.calls.stream().filter(condition).toList();
	}

	/**
	 * Waits until a handler was called so often, and fails if it is not.
	 */
	List<Call> await(String handler, String run, int times) throws InterruptedException {
		long began = System.nanoTime();
		while (true) {
			List<Call> found = of(handler, run);
			if (found.size() >= times) {
				return found;
			}
			Checks.require(System.nanoTime() - began < Duration.ofSeconds(60).toNanos(),
					"%s was called %d times within a minute, and not %d times", handler, found.size(), times);
			Thread.sleep(5);
		}
	}

	record Call(String handler, Item item, long nanos, boolean virtual) {

	}

}
