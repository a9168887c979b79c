package io.redelay.queue.config;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * A {@link io.redelay.queue.QueueListener @QueueListener} cannot work as it is declared.
 * The message names bean, method and attribute, the problem, and how to fix it.
 *
 * @since 0.1.0
 */
public class InvalidQueueListenerException extends IllegalStateException {

	private final String place;

	private final String problem;

	private final String mend;

	InvalidQueueListenerException(String declaration, @Nullable String attribute, String problem, String mend,
			@Nullable Throwable cause) {
		super(place(declaration, attribute) + ": " + problem + ". " + mend, cause);
		this.place = place(declaration, attribute);
		this.problem = problem;
		this.mend = mend;
	}

	InvalidQueueListenerException(String declaration, String problem, String mend) {
		this(declaration, null, problem, mend, null);
	}

	private static String place(String declaration, @Nullable String attribute) {
		if (ConfiguredValue.isProperty(attribute)) {
			return "The property '" + attribute + "', which holds for the " + declaration;
		}
		return ((attribute != null) ? "The attribute '" + attribute + "' of the " : "The ") + declaration;
	}

	/**
	 * Returns where an annotation of a method is.
	 */
	static String place(String annotation, String beanName, Method method) {
		return annotation + " on the method " + ClassUtils.getQualifiedMethodName(method) + " of the bean '" + beanName
				+ "'";
	}

	/**
	 * Returns where the annotation is.
	 * @return the bean, the method and the attribute
	 */
	public String getPlace() {
		return this.place;
	}

	/**
	 * Returns what is wrong.
	 * @return the problem
	 */
	public String getProblem() {
		return this.problem;
	}

	/**
	 * Returns how to fix it.
	 * @return the mend
	 */
	public String getMend() {
		return this.mend;
	}

}
