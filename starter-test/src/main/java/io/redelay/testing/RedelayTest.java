package io.redelay.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.Environment;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of queues and locks, without the rest of the application, on a real Redis of its
 * own.
 * <p>
 * Of the components that the application scans, the context has those with
 * {@code @QueueListener} methods, interceptors of sends and deliveries, error handlers,
 * and converters; of auto-configurations those of Redis, Jackson, queues and locks. The
 * test provides everything else that they need: with {@code @MockitoBean},
 * {@code @Import} or {@link #includeFilters()}.
 * <p>
 * With several components that listen, {@link #value()} chooses.
 *
 * @since 0.1.0
 * @see QueueTester
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(RedelayTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(RedelayTypeExcludeFilter.class)
@ImportAutoConfiguration
@EmbeddedRedis
public @interface RedelayTest {

	/**
	 * The components with {@code @QueueListener} methods that the test wants; all if none
	 * is named. The same as {@link #listeners()}.
	 * @return the components
	 */
	@AliasFor("listeners")
	Class<?>[] value() default {};

	/**
	 * The components with {@code @QueueListener} methods that the test wants; all if none
	 * is named.
	 * @return the components
	 */
	@AliasFor("value")
	Class<?>[] listeners() default {};

	/**
	 * Properties as {@code key=value} for the {@link Environment}.
	 * @return the properties
	 */
	String[] properties() default {};

	/**
	 * Whether the components named above are part of the context. Otherwise only those of
	 * {@link #includeFilters()} are.
	 * @return whether they are
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Further components for the context.
	 * @return filters that match them
	 */
	Filter[] includeFilters() default {};

	/**
	 * Components that are not to be in the context.
	 * @return filters that match them
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Auto-configurations that are not to be applied.
	 * @return their classes
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

}
