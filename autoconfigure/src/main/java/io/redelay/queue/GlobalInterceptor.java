package io.redelay.queue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Puts a {@link DeliveryInterceptor} bean around all listeners. Without it, an
 * interceptor is around those that name it. May stand on the bean's class or its
 * {@code @Bean} method.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface GlobalInterceptor {

}
