package io.redelay.scheduling;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes daemon threads that inherit nothing from the thread which happens to need one
 * first: that may be a thread of the Redis client, or any that completes a future. They
 * have the context class loader of the creator of this factory.
 *
 * @since 0.1.0
 */
public final class DaemonThreads implements ThreadFactory {

	private final String namePrefix;

	private final ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

	private final AtomicInteger count = new AtomicInteger();

	/**
	 * Creates a factory.
	 * @param namePrefix the prefix of the names of threads, before a number from 1
	 */
	public DaemonThreads(String namePrefix) {
		this.namePrefix = namePrefix;
	}

	@Override
	public Thread newThread(Runnable task) {
		Thread thread = new Thread(null, task, this.namePrefix + this.count.incrementAndGet(), 0, false);
		thread.setDaemon(true);
		thread.setContextClassLoader(this.classLoader);
		return thread;
	}

}
