package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.util.List;

import io.redelay.queue.Backoff;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.recurring.RecurringMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/**
 * Lets a native image find the scripts, write and read what is kept in Redis as JSON, and
 * find out which libraries are there. What listeners take and return is known from their
 * annotations.
 */
final class QueueHints implements RuntimeHintsRegistrar {

	/**
	 * The types that are written to Redis as JSON or read from it; most are
	 * package-private.
	 */
	static final List<String> JSON = List.of("io.redelay.queue.admin.engine.bulk.BulkPlan",
			"io.redelay.queue.admin.engine.bulk.BulkProgress", "io.redelay.queue.admin.engine.instance.HandlerAnswer",
			"io.redelay.queue.admin.engine.instance.HandlerQuestion",
			"io.redelay.queue.admin.engine.instance.InstanceDescription", "io.redelay.queue.bundle.BundleResults",
			"io.redelay.queue.event.MessageEvent", "io.redelay.queue.event.QueueEvent",
			"io.redelay.queue.message.NextMessage$Head", "io.redelay.queue.recurring.RecurringTick",
			"io.redelay.queue.recurring.engine.StoredRecurring");

	/**
	 * The annotations whose attributes are read.
	 */
	private static final List<Class<? extends Annotation>> ANNOTATIONS = List.of(Backoff.class, HeaderFilter.class,
			PayloadType.class, QueueHandler.class, QueueListener.class, QueueListener.List.class,
			RecurringMessage.class, RecurringMessage.List.class);

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/redelay/queue/script/*.lua");
		hints.resources().registerPattern("io/redelay/queue/script/includes/*.lua");
		BindingReflectionHintsRegistrar json = new BindingReflectionHintsRegistrar();
		JSON.forEach((type) -> json.registerReflectionHints(hints.reflection(),
				ClassUtils.resolveClassName(type, classLoader)));
		ANNOTATIONS.forEach((annotation) -> {
			hints.reflection().registerType(annotation, MemberCategory.INVOKE_PUBLIC_METHODS);
			hints.proxies().registerJdkProxy(annotation);
		});
		List.of("reactor.core.publisher.Flux", "org.slf4j.MDC", "io.micrometer.context.ContextSnapshotFactory")
			.forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
	}

}
