package io.redelay.kotlin.docs

import io.redelay.lock.MyLock
import io.redelay.queue.QueueListener
import org.springframework.messaging.handler.annotation.Header
import org.springframework.stereotype.Component

@Component
open class PaymentListener(private val bank: Bank, private val ledger: Ledger) {

    @QueueListener("card-payments", maxAttempts = "10")
    @MyLock("account:#{payment.account}", waitTime = 5)
    open suspend fun pay(payment: Payment, @Header("tenant") tenant: String = "default") {
        val receipt = bank.transfer(payment)
        ledger.record(tenant, receipt)
    }
}
