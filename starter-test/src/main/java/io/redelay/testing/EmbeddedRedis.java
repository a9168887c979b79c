package io.redelay.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.redelay.embedded.redis.RedisServer;

/**
 * Gives the application context of a test a real Redis of its own, with nothing in it, no
 * matter what {@code spring.data.redis.*} is. It is the bean of type {@link RedisServer},
 * so that a test can pause or kill it, and ends with the context. That it keeps nothing
 * is no finding of the guard ({@code redelay.guard.persistence}) unless the test sets it.
 * <p>
 * Test classes whose configuration is the same share a context, and so its Redis.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface EmbeddedRedis {

}
