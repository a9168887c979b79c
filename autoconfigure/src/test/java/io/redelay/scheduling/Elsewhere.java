package io.redelay.scheduling;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread with a class loader and an inheritable value of its own, which needs a thread
 * of an executor.
 */
public final class Elsewhere {

	private static final InheritableThreadLocal<String> context = new InheritableThreadLocal<>();

	private Elsewhere() {
	}

	/**
	 * Runs a task on a thread of an executor, which must have the class loader of the
	 * caller.
	 * @param executor the executor
	 * @param inherited what the thread may inherit of the thread that needs it
	 * @return the thread
	 */
	public static Thread run(Executor executor, String inherited) throws Exception {
		ClassLoader own = Thread.currentThread().getContextClassLoader();
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		CompletableFuture<ClassLoader> classLoader = new CompletableFuture<>();
		CompletableFuture<String> value = new CompletableFuture<>();
		Thread elsewhere = new Thread(() -> {
			context.set("of a request");
			executor.execute(() -> {
				value.complete(context.get());
				classLoader.complete(Thread.currentThread().getContextClassLoader());
				thread.complete(Thread.currentThread());
			});
		});
		elsewhere.setContextClassLoader(new URLClassLoader(new URL[0], null));
		elsewhere.start();
		assertThat(thread.get(2, TimeUnit.MINUTES)).isNotNull();
		assertThat(classLoader.get(2, TimeUnit.MINUTES)).isSameAs(own);
		assertThat(value.get(2, TimeUnit.MINUTES)).isEqualTo(inherited);
		return thread.get();
	}

}
