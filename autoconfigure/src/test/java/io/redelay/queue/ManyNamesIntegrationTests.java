package io.redelay.queue;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.claim.OutboxRelays;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that what an application remembers by the name of a queue or topic has a bound.
 */
class ManyNamesIntegrationTests {

	private static final int NAMES = 2_500;

	/**
	 * More than any such memory keeps.
	 */
	private static final int MOST = 2_000;

	/**
	 * What goes by itself when nothing was sent for a while: batchers with their lanes,
	 * and what is notified of them; and what is kept for a Redis that goes back, within
	 * its bytes.
	 */
	private static final Set<String> GO_LATER = Set.of("RequestBatchers.batchers", "ReplayMemory", "CountsRecorder",
			"ReplayBuffer");

	@Test
	void nothingIsRememberedOfEachQueueForEver() throws Exception {
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				use(application);
				// What is under way is remembered until it ends.
				await().untilAsserted(() -> assertThat(large(application)).isEmpty());
			}
			finally {
				client.shutdown();
			}
		}
	}

	private static void use(ListenerApplication application) throws Exception {
		List<CompletableFuture<?>> all = new ArrayList<>();
		QueueAdmin admin = application.bean(QueueAdmin.class);
		AtomicReference<OutboxRelays> relays = new AtomicReference<>();
		walk(application.context(), (found, path) -> {
			if (found instanceof OutboxRelays outboxes) {
				relays.set(outboxes);
			}
		});
		for (int i = 0; i < NAMES; i++) {
			String name = "name-" + i;
			all.add(application.queues().sendAsync(OutboundMessage.to(name, "x").timeToLive(Duration.ofHours(1))));
			all.add(application.queues().publishAsync(OutboundMessage.to(name, "x")));
			relays.get().look(name);
		}
		for (CompletableFuture<?> each : all) {
			each.get();
		}
		admin.queues().infos();
		client(application).getKeys().delete("redelay:queues");
		admin.queues().infos();
	}

	private static RedissonClient client(ListenerApplication application) {
		return application.bean(RedissonClient.class);
	}

	/**
	 * The maps and collections that the beans of an application have and that are large.
	 */
	private static Set<String> large(ListenerApplication application) {
		Set<String> large = new TreeSet<>();
		walk(application.context(), (found, path) -> {
			int size = (found instanceof Map<?, ?> map) ? map.size()
					: (found instanceof Collection<?> collection) ? collection.size() : 0;
			if (size > MOST && GO_LATER.stream().noneMatch(path::contains)) {
				large.add(path + ": " + size);
			}
		});
		return large;
	}

	/**
	 * Goes through all objects that the beans of this library have.
	 */
	private static void walk(org.springframework.context.ConfigurableApplicationContext context, Visitor visitor) {
		Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		Deque<Map.Entry<Object, String>> open = new ArrayDeque<>();
		for (String name : context.getBeanDefinitionNames()) {
			Object bean = context.getBean(name);
			open.add(Map.entry(bean, bean.getClass().getSimpleName()));
		}
		while (!open.isEmpty()) {
			Map.Entry<Object, String> next = open.poll();
			Object object = next.getKey();
			if (!seen.add(object)) {
				continue;
			}
			visitor.visit(object, next.getValue());
			if (object instanceof Map<?, ?> map) {
				List.copyOf(map.values().stream().filter((value) -> value != null).toList())
					.forEach((value) -> open.add(Map.entry(value, next.getValue() + "[]")));
			}
			else if (object instanceof Collection<?> collection) {
				collection.stream()
					.filter((value) -> value != null)
					.toList()
					.forEach((value) -> open.add(Map.entry(value, next.getValue() + "[]")));
			}
			else if (object instanceof Object[] array) {
				for (int i = 0; i < Array.getLength(array); i++) {
					if (array[i] != null) {
						open.add(Map.entry(array[i], next.getValue() + "[]"));
					}
				}
			}
			else if (object.getClass().getName().startsWith("io.redelay.")) {
				for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
					fields(type, object).forEach((name, value) -> open.add(Map.entry(value, name)));
				}
			}
		}
	}

	private static Map<String, Object> fields(Class<?> type, Object object) {
		Map<String, Object> values = new java.util.HashMap<>();
		if (type.getName().startsWith("io.redelay.")) {
			for (Field field : type.getDeclaredFields()) {
				if (!field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers())) {
					try {
						field.setAccessible(true);
						Object value = field.get(object);
						if (value != null) {
							values.put(type.getSimpleName() + "." + field.getName(), value);
						}
					}
					catch (IllegalAccessException ex) {
						throw new IllegalStateException(ex);
					}
				}
			}
		}
		return values;
	}

	private interface Visitor {

		void visit(Object found, String path);

	}

}
