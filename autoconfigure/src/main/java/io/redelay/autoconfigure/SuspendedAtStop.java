package io.redelay.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Suspends connections or threads when the context stops, and resumes them when it starts
 * again, as for a checkpoint of the JVM. What runs in the context stops before that. A
 * context that closes suspends nothing: its beans may send to the end.
 */
final class SuspendedAtStop implements SmartLifecycle {

	/**
	 * Connections stop last and start first.
	 */
	static final int CONNECTIONS = Integer.MIN_VALUE;

	static final int THREADS = CONNECTIONS + 1;

	/**
	 * The first phase of what uses these connections and threads.
	 */
	static final int USERS = THREADS + 1;

	private final ConfigurableApplicationContext context;

	private final int phase;

	private final Supplier<CompletableFuture<Void>> suspend;

	private final Runnable resume;

	private volatile boolean running;

	private volatile boolean suspended;

	SuspendedAtStop(ConfigurableApplicationContext context, int phase, Supplier<CompletableFuture<Void>> suspend,
			Runnable resume) {
		this.context = context;
		this.phase = phase;
		this.suspend = suspend;
		this.resume = resume;
	}

	@Override
	public void start() {
		this.running = true;
		if (this.suspended) {
			this.suspended = false;
			this.resume.run();
		}
	}

	/**
	 * Not called by a context, which waits as long as a phase of its shutdown may take.
	 */
	@Override
	public void stop() {
		suspend();
	}

	@Override
	public void stop(Runnable callback) {
		suspend().whenComplete((done, failure) -> callback.run());
	}

	private CompletableFuture<Void> suspend() {
		this.running = false;
		if (this.context.isClosed()) {
			return CompletableFuture.completedFuture(null);
		}
		this.suspended = true;
		return this.suspend.get();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/**
	 * A context of tests that is put aside keeps its connections: it goes on soon.
	 */
	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

}
