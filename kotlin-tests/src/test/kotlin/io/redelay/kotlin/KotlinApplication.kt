package io.redelay.kotlin

import io.redelay.embedded.redis.RedisServer
import io.redelay.queue.QueueOperations
import io.redelay.queue.admin.QueueAdmin
import org.awaitility.Awaitility.await
import org.awaitility.Awaitility.setDefaultPollInterval
import org.awaitility.Awaitility.setDefaultTimeout
import org.springframework.boot.Banner
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Configuration
import java.time.Duration
import kotlin.reflect.KClass

/**
 * An application with some beans, on a Redis that all tests here share. A message that fails is
 * delivered twice.
 */
class KotlinApplication(vararg beans: KClass<*>, properties: Map<String, Any> = emptyMap()) : AutoCloseable {

    val context: ConfigurableApplicationContext =
        SpringApplicationBuilder(Wiring::class.java, *beans.map { it.java }.toTypedArray())
            .web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .logStartupInfo(false)
            .registerShutdownHook(false)
            .properties(
                mapOf(
                    "spring.data.redis.url" to redis.uri().toString(),
                    "redelay.queue.listener.backoff.initial-interval" to "1ms",
                    "redelay.queue.listener.backoff.jitter" to "0",
                    "redelay.queue.listener.max-attempts" to "2",
                ) + properties,
            )
            .run()

    val queues: QueueOperations = context.getBean(QueueOperations::class.java)

    val admin: QueueAdmin = context.getBean(QueueAdmin::class.java)

    inline fun <reified T : Any> bean(): T = context.getBean(T::class.java)

    /**
     * Waits until each message of a queue is handled, or dead.
     */
    fun awaitHandled(queue: String) = await(queue).until {
        val info = admin.queues().info(queue)
        info.ready() + info.scheduled() + info.inFlight() == 0L
    }

    override fun close() = context.close()

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    class Wiring

    companion object {

        init {
            // A busy machine may need long for what takes milliseconds elsewhere.
            setDefaultTimeout(Duration.ofMinutes(1))
            setDefaultPollInterval(Duration.ofMillis(20))
        }

        private val redis: RedisServer = RedisServer.start()
    }
}
