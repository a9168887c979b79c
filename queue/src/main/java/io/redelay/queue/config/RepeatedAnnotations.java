package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.List;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds annotations that may stand on an element more than once.
 *
 * @since 0.1.0
 */
public final class RepeatedAnnotations {

	private RepeatedAnnotations() {
	}

	/**
	 * Finds the annotations of a type on a class or a method, or if it has none, on what
	 * it inherits from or overrides: nearer annotations replace farther ones. Composed
	 * annotations count as well.
	 * @param element the class or the method
	 * @param type the type of the annotations, which is repeatable
	 * @param <A> the type of the annotations
	 * @return the annotations, in the order in which they are declared
	 */
	public static <A extends Annotation> List<A> nearest(AnnotatedElement element, Class<A> type) {
		List<MergedAnnotation<A>> found = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.stream(type)
			.toList();
		int nearest = found.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(-1);
		return found.stream()
			.filter((annotation) -> annotation.getAggregateIndex() == nearest)
			.map(MergedAnnotation::synthesize)
			.toList();
	}

}
