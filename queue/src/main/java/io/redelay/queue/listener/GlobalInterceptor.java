package io.redelay.queue.listener;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Applies a {@link DeliveryInterceptor} bean to all listeners. Without this annotation,
 * an interceptor applies to the listeners that name it. Placed on the bean's class or its
 * {@code @Bean} method.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface GlobalInterceptor {

}
