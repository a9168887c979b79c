package io.redelay.kotlin

import com.fasterxml.jackson.annotation.JsonSubTypes
import com.fasterxml.jackson.annotation.JsonTypeInfo
import io.redelay.queue.DeathReason
import io.redelay.queue.MessageState
import io.redelay.queue.OutboundMessage
import io.redelay.queue.QueueListener
import io.redelay.queue.admin.QueuedMessage
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Test
import org.springframework.context.annotation.Bean
import org.springframework.messaging.handler.annotation.Header
import tools.jackson.databind.json.JsonMapper
import tools.jackson.databind.node.StringNode
import java.util.Optional
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * What Kotlin has and Java has not in the parameters of handlers.
 */
class KotlinParametersIntegrationTests {

    private val queues = application.queues

    private val seen = application.bean<Handlers>().seen

    @Test
    fun `a payload that may be null is null`() {
        send("k-nullable", Optional.empty<Order>())
        send("k-nullable-plain", Optional.empty<Order>())
        assertThat(seen).contains("nullable null", "nullable plain null")
        send("k-nullable", Order("o", 1))
        assertThat(seen).contains("nullable Order(id=o, amount=1)")
    }

    @Test
    fun `null is refused where the payload may not be null`() {
        send("k-defaults", Optional.empty<Order>())
        assertThat(dead("k-defaults").death()!!.reason()).isEqualTo(DeathReason.CONVERSION_FAILED)
        assertThat(dead("k-defaults").death()!!.message()).contains("parameter that may be null")
    }

    @Test
    fun `a header that is not there has its default argument`() {
        send("k-headers", "x")
        assertThat(seen).contains("headers none null", "plain headers none")
        queues.send(OutboundMessage.to("k-headers", "x").header("tenant", "t").header("region", "r"))
        application.awaitHandled("k-headers")
        assertThat(seen).contains("headers t r")
    }

    @Test
    fun `a value class is made by its constructor`() {
        send("k-value", OrderId("o-1"))
        send("k-value-plain", OrderId("o-2"))
        assertThat(seen).contains("value OrderId(value=o-1)", "plain value OrderId(value=o-2)")
        send("k-value", StringNode.valueOf("  "))
        assertThat(dead("k-value").death()!!.reason()).isEqualTo(DeathReason.CONVERSION_FAILED)
        assertThat(dead("k-value").death()!!.message()).contains("an id is not blank")
    }

    @Test
    fun `a header can be a value class`() {
        queues.send(OutboundMessage.to("k-value-header", "x").header("order", "o-1"))
        queues.send(OutboundMessage.to("k-value-header", "x").header("order", " "))
        application.awaitHandled("k-value-header")
        assertThat(seen).contains("header OrderId(value=o-1)")
        assertThat(dead("k-value-header").death()!!.reason()).isEqualTo(DeathReason.CONVERSION_FAILED)
        assertThat(dead("k-value-header").death()!!.message()).contains("an id is not blank")
    }

    @Test
    fun `a data class has its default arguments, and no null where there may be none`() {
        send("k-data", mapOf("id" to "o"))
        assertThat(seen).contains("data Parcel(id=o, weight=7)")
        send("k-data", mapOf("weight" to 1))
        assertThat(dead("k-data").death()!!.reason()).isEqualTo(DeathReason.CONVERSION_FAILED)
    }

    @Test
    fun `a sealed interface is one of its classes, in a list, too`() {
        send("k-sealed", Placed("p") as Event)
        send("k-sealed-list", Paid("q") as Event)
        assertThat(seen).contains("sealed Placed(id=p)", "sealed list [Paid(id=q)]")
    }

    @Test
    fun `without Jackson's module a data class has no default arguments`() {
        KotlinApplication(WithoutModule::class).use {
            it.queues.send("k-without-module", mapOf("id" to "o"))
            it.awaitHandled("k-without-module")
            assertThat(dead("k-without-module").death()!!.message()).contains("must have a value", "weight")
        }
    }

    private fun send(queue: String, payload: Any) {
        queues.send(queue, payload)
        application.awaitHandled(queue)
    }

    private fun dead(queue: String): QueuedMessage =
        application.admin.messages().browse(queue, MessageState.DEAD, 0, 10).messages().single()

    class Handlers {

        val seen = ConcurrentLinkedQueue<String>()

        @QueueListener("k-nullable")
        suspend fun nullable(order: Order?) {
            yield()
            seen.add("nullable $order")
        }

        @QueueListener("k-nullable-plain")
        fun nullablePlain(order: Order?) {
            seen.add("nullable plain $order")
        }

        @QueueListener("k-defaults")
        suspend fun defaults(order: Order) {
            seen.add("never")
        }

        @QueueListener("k-headers", id = "k-headers")
        suspend fun headers(text: String, @Header tenant: String = "none", @Header region: String?) {
            seen.add("headers $tenant $region")
            plainHeaders(text)
        }

        fun plainHeaders(text: String, @Header tenant: String = "none") {
            seen.add("plain headers $tenant")
        }

        @QueueListener("k-value")
        suspend fun value(id: OrderId) {
            yield()
            seen.add("value $id")
        }

        @QueueListener("k-value-plain")
        fun valuePlain(id: OrderId) {
            seen.add("plain value $id")
        }

        @QueueListener("k-value-header")
        suspend fun valueHeader(text: String, @Header order: OrderId) {
            seen.add("header $order")
        }

        @QueueListener("k-data")
        suspend fun data(parcel: Parcel) {
            seen.add("data $parcel")
        }

        @QueueListener("k-sealed")
        suspend fun sealed(event: Event) {
            seen.add("sealed $event")
        }

        @QueueListener("k-sealed-list")
        suspend fun sealedList(events: List<Event>) {
            seen.add("sealed list $events")
        }
    }

    class WithoutModule {

        @Bean
        fun jsonMapper(): JsonMapper = JsonMapper.builder().build()

        @QueueListener("k-without-module")
        fun handle(parcel: Parcel) = Unit
    }

    @JvmInline
    value class OrderId(val value: String) {

        init {
            require(value.isNotBlank()) { "an id is not blank" }
        }
    }

    data class Parcel(val id: String, val weight: Int = 7)

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(JsonSubTypes.Type(Placed::class), JsonSubTypes.Type(Paid::class))
    sealed interface Event

    data class Placed(val id: String) : Event

    data class Paid(val id: String) : Event

    companion object {

        private val application = KotlinApplication(Handlers::class)

        @AfterAll
        @JvmStatic
        fun close() = application.close()
    }
}
