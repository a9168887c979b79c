package io.redelay.lock;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.redelay.autoconfigure.LockAutoConfiguration;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * A small application with locks on a given client, whose locks others can hold.
 */
public final class LockApplication implements AutoCloseable {

	private static final long OTHER = 77;

	private final RedissonClient client;

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private LockApplication(RedissonClient client) {
		this.client = client;
	}

	static LockApplication start(RedissonClient client, Class<?>... beans) {
		return start(client, (context) -> {
		}, beans);
	}

	static LockApplication start(RedissonClient client, Consumer<AnnotationConfigApplicationContext> customizer,
			Class<?>... beans) {
		LockApplication application = new LockApplication(client);
		application.context.registerBean("redissonClient", RedissonClient.class, () -> client,
				(definition) -> definition.setDestroyMethodName(""));
		application.context.registerBean("recording", LockListener.class, () -> application.events::add);
		TestPropertyValues.of("lock.region=eu").applyTo(application.context);
		customizer.accept(application.context);
		if (beans.length > 0) {
			application.context.register(beans);
		}
		application.context.register(LockAutoConfiguration.class);
		try {
			application.context.refresh();
		}
		catch (RuntimeException ex) {
			application.context.close();
			throw ex;
		}
		return application;
	}

	public static String name() {
		return "l-" + UUID.randomUUID();
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	LockTemplate template() {
		return bean(LockTemplate.class);
	}

	List<LockEvent> events() {
		return this.events;
	}

	List<LockEvent.Type> eventTypes() {
		return this.events.stream().map(LockEvent::type).toList();
	}

	RLock lock(String name) {
		return this.client.getLock("redelay:lock:{" + name + "}");
	}

	RLock readLock(String name) {
		return this.client.getReadWriteLock("redelay:rwlock:{" + name + "}").readLock();
	}

	/**
	 * Lets another hold a lock.
	 * @return releases it
	 */
	Runnable hold(String name) {
		return hold(lock(name));
	}

	Runnable hold(RLock lock) {
		lock.tryLockAsync(10_000, 600_000, TimeUnit.MILLISECONDS, OTHER).toCompletableFuture().join();
		return () -> lock.unlockAsync(OTHER).toCompletableFuture().join();
	}

	boolean isFree(String name) {
		return !lock(name).isLocked();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
