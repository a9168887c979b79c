package io.redelay.testing;

import java.io.IOException;
import java.util.Set;

import io.redelay.lock.LockFailureHandler;
import io.redelay.lock.LockListener;
import io.redelay.lock.LockProvider;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.listener.DeliveryFilter;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.QueueErrorHandler;

import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Excludes components from a {@link RedelayTest} that have nothing to do with queues and
 * locks.
 */
final class RedelayTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<RedelayTest> {

	private static final Set<Class<?>> KNOWN = Set.of(SendInterceptor.class, DeliveryInterceptor.class,
			QueueErrorHandler.class, DeliveryFilter.class, MessageConverter.class, LockProvider.class,
			LockFailureHandler.class, LockListener.class);

	private final Set<Class<?>> listeners;

	RedelayTypeExcludeFilter(Class<?> testClass) {
		super(testClass);
		this.listeners = Set.of(getAnnotation().getClassArray("listeners"));
	}

	@Override
	protected boolean defaultInclude(MetadataReader reader, MetadataReaderFactory factory) throws IOException {
		AnnotationMetadata metadata = reader.getAnnotationMetadata();
		boolean listens = has(metadata, QueueListener.class) || has(metadata, QueueListener.List.class);
		return (listens && this.listeners.isEmpty()) || super.defaultInclude(reader, factory);
	}

	private static boolean has(AnnotationMetadata metadata, Class<?> annotation) {
		return metadata.hasAnnotation(annotation.getName()) || metadata.hasAnnotatedMethods(annotation.getName());
	}

	@Override
	protected Set<Class<?>> getKnownIncludes() {
		return KNOWN;
	}

	@Override
	protected Set<Class<?>> getComponentIncludes() {
		return this.listeners;
	}

}
