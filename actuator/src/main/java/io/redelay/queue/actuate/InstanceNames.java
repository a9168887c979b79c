package io.redelay.queue.actuate;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.queue.admin.InstanceInfo;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * The display names of the instances that have messages in hand. They are read when the
 * first one is needed.
 */
final class InstanceNames {

	private final Supplier<Map<String, String>> names;

	InstanceNames(Supplier<? extends Iterable<InstanceInfo>> instances) {
		this.names = SingletonSupplier.of(() -> {
			Map<String, String> names = new HashMap<>();
			instances.get().forEach((instance) -> names.put(instance.instance(), instance.name()));
			return names;
		});
	}

	/**
	 * The name of an instance, if it is known.
	 */
	@Nullable String of(@Nullable String instance) {
		return (instance != null) ? this.names.get().get(instance) : null;
	}

}
