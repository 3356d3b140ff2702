"""The words of the trade: what people say, and what the agents answer. `dialogues.py` puts them together.

In the lists of requests, [a/b/c] is one of them, {x} is a thing, {m} a material, {o} an occasion, {a} people, {p} a part, {t} a topic.
"""

from pathlib import Path

import voices
from instructions import MANNERS, NAMES, OTHER_SYSTEM, SYSTEM
from voices import CHATTER, FOLD_NEXT, FOLD_NTH, IDEAS_A_AGAIN, IDEAS_M_AGAIN, IDEAS_O_AGAIN, NEW_IDEAS_HERE, PARTS_OF_SPEECH, STEP_NEXT, TITLE_NTH

THINGS = """crane boat fox tulip butterfly swan frog dragon rabbit whale turtle owl penguin elephant rose lily lotus star
box envelope hat plane kite dog cat mouse bear lion tiger monkey giraffe horse cow pig sheep duck goose hen parrot eagle
dove bat crab shark dolphin seal octopus snail bee ladybird spider dinosaur unicorn phoenix heart anchor crown ring leaf
flower cactus tree snowflake lantern windmill basket bowl cup vase house castle church tower bridge car train rocket ship
submarine helicopter bicycle guitar piano violin drum bell clock lamp chair table shirt dress shoe bow ribbon bookmark
card wallet cube pyramid ball wreath mask fan puppet robot ghost pumpkin witch angel reindeer santa sleigh mitten scarf
mushroom apple pear banana cherry strawberry pineapple carrot acorn feather shell starfish seahorse jellyfish hedgehog
squirrel badger beaver otter deer moose camel kangaroo koala panda zebra hippo rhino gorilla crocodile lizard snake toad
robin sparrow peacock flamingo pelican stork heron toucan hummingbird dragonfly moth caterpillar ant beetle scorpion
samurai helmet ninja sword shield pinwheel spinner firework balloon candle cake teapot spoon picture frame calendar
birdhouse pillow blanket quilt doll teddy scarecrow treasure chest paper crane jumping frog water bomb paper plane
hopping bunny love knot gift box fortune teller paper hat tissue flower sock monkey finger puppet""".split()
# Written one by one, without a rule: whole sentences by their kind, and lists of words.
WRITTEN = {path.stem: path.read_text().splitlines() for path in Path(__file__).with_name("written").glob("*.txt")}
LANGUAGES = {}
for line in WRITTEN.pop("foreign"):
    LANGUAGES.setdefault(line.split(" ")[0], []).append(line.split(" ", 1)[1])
FOREIGN = "Sorry, I only understand English."

THINGS = sorted(set(THINGS) - {"paper", "jumping", "hopping", "love", "gift", "fortune", "teller", "tissue"} | {*WRITTEN["things"],
    "paper crane", "jumping frog", "water bomb", "paper plane", "fortune teller", "gift box", "finger puppet", "picture frame"})

# For each material, occasion or kind of people: three ideas that belong together.
MATERIALS = {
    "paper": "a paper boat, a garland or a greeting card", "cardboard": "a castle, a marble run or a puppet theatre",
    "wool": "a pompom, a woven wall hanging or a scarf", "yarn": "a friendship bracelet, a pompom or a little octopus",
    "buttons": "a button picture, a bracelet or a fridge magnet", "leaves": "a leaf collage, a lantern or a crown",
    "pine cones": "a hedgehog, a bird feeder or a wreath", "shells": "a wind chime, a shell frame or a night light",
    "stones": "a painted animal, a paperweight or a garden marker", "clay": "a pinch pot, a bead necklace or a small animal",
    "felt": "a finger puppet, a bookmark or a needle case", "fabric": "a tote bag, a cushion or a row of bunting",
    "old socks": "a sock puppet, a snowman or a rice pillow", "glass jars": "a lantern, a herb garden or a snow globe",
    "egg boxes": "a caterpillar, a flower garden or a treasure chest", "corks": "a stamp set, a tiny boat or a pin board",
    "sticks": "a picture frame, a raft or a star", "beads": "a bracelet, a key ring or a sun catcher",
    "newspaper": "a party hat, a basket or a papier mache bowl", "magazines": "a collage, a bead necklace or a gift bow",
    "bottle caps": "a mosaic, a fridge magnet or a game of draughts", "paint": "a potato print, a marbled card or a rock monster",
    "tissue paper": "a flower, a stained glass window or a kite", "wire": "a bubble wand, a tiny bicycle or a plant hanger",
    "old jeans": "a bag, a pencil case or a plant pot cover", "ribbon": "a hair bow, a bookmark or a maypole crown",
    "toilet rolls": "an owl, a rocket or a pair of binoculars", "sand": "a sand picture, a candle holder or a striped jar",
    "string": "a string star, a net bag or a tin can phone", "feathers": "a dream catcher, a mask or a bookmark",
    "milk cartons": "a bird house, a boat or a lantern", "straws": "a mobile, a flute or a rocket",
    "wood": "a bird house, a spoon or a name sign", "tape": "a road map, a wallet or a window picture",
    "egg cartons": "a caterpillar, a flower garden or a treasure chest", "pebbles": "a painted animal, a paperweight or a garden marker",
    "acorns": "an acorn family, a necklace or a wreath", "chestnuts": "a little animal, a spider or a garland",
    "tin cans": "a lantern, a pen pot or a tin can phone", "cans": "a lantern, a pen pot or a wind chime",
    "plastic bottles": "a bird feeder, a rocket or a plant pot", "bottles": "a vase, a bird feeder or a candle holder",
    "boxes": "a castle, a doll house or a robot", "cloth": "a tote bag, a cushion or a row of bunting",
    "foil": "a crown, a star or a robot", "envelopes": "a bookmark, a tiny book or a gift bag", "old maps": "a gift bag, a globe or a paper rose",
    "lolly sticks": "a picture frame, a raft or a bookmark", "driftwood": "a mobile, a boat or a coat hook", "leather": "a key ring, a bookmark or a purse",
    "candles": "a lantern, a scented jar or a table wreath", "flowers": "a pressed picture, a crown or a candle jar", "t-shirts": "a rag rug, a tote bag or a headband",
    "cotton": "a lavender bag, a bandana or a doll", "rope": "a coaster, a dog toy or a basket", "seeds": "a mosaic, a rattle or a seed pot",
    "salt dough": "an ornament, a hand print or a little bowl", "pasta": "a necklace, a picture frame or a mosaic",
}
OCCASIONS = {
    "rainy day": "a cardboard castle, a sock puppet or a paper boat", "birthday": "a pop-up card, a paper crown or a garland",
    "snowy day": "a paper snowflake, a pompom snowman or a lantern", "christmas": "a star, a paper angel or a wreath",
    "halloween": "a paper bat, a pumpkin lantern or a ghost mobile", "easter": "an egg cup, a paper chick or a flower basket",
    "school fair": "a bookmark, a key ring or a painted stone", "wedding": "a table garland, a guest book or a paper rose",
    "summer holiday": "a shell frame, a kite or a travel diary", "long weekend": "a marble run, a quilt square or a bird house",
    "quiet evening": "a woven coaster, a folded star or a sketchbook", "sunny day": "a kite, a sun catcher or a leaf print",
    "party": "a party hat, a garland or a photo frame", "picnic": "a fabric basket, a paper fan or a ball game",
    "winter": "a bird feeder, a pompom hat or a lantern", "spring": "a flower press, a seed pot or a nest",
    "autumn": "a leaf crown, an acorn family or a lantern", "train ride": "a finger puppet, a folded frog or a bracelet",
    "garden party": "a paper lantern, a fan or a flower garland", "new year": "a confetti cannon, a lucky charm or a calendar",
    "valentine's day": "a paper heart, a love letter or a rose", "carnival": "a mask, a paper crown or a rattle", "rainy afternoon": "a cardboard castle, a sock puppet or a paper boat",
    "family evening": "a board game, a puppet show or a photo album", "anniversary": "a photo frame, a memory jar or a paper rose", "weekend": "a marble run, a kite or a bird house",
    "stormy night": "a shadow theatre, a lantern or a puppet", "camping trip": "a lantern, a flag or a rope swing", "baby shower": "a mobile, a garland or a rattle",
    "mother's day": "a paper rose, a tea card or a bead necklace", "father's day": "a key ring, a pen pot or a medal",
}
PEOPLE = {
    "kids": "a sock puppet, a pompom monster or a paper boat", "my daughter": "a bracelet, a paper crown or a puppet theatre",
    "my son": "a rocket, a marble run or a dragon mask", "my grandma": "a scented sachet, a photo frame or a paper rose",
    "my grandson": "a kite, a wooden boat or a robot", "my sister": "a bracelet, a hair bow or a pop-up card",
    "my brother": "a key ring, a rocket or a game board", "my mum": "a paper rose, a candle holder or a tea card",
    "my dad": "a pen pot, a key ring or a tin can lamp", "my friend": "a friendship bracelet, a bookmark or a memory jar",
    "toddlers": "a hand print, a rattle or a paper fish", "teenagers": "a string star, a phone stand or a tote bag",
    "beginners": "a bookmark, a paper boat or a pompom", "a class of ten": "a mural, a garland or a puppet show",
    "my aunt": "a scented sachet, a tea card or a seed pot", "my uncle": "a pen pot, a game board or a key ring", "my grandpa": "a photo frame, a pen pot or a game board",
    "my teacher": "a bookmark, a pen pot or a tea card", "my niece": "a bracelet, a doll or a paper crown", "my nephew": "a rocket, a robot or a dragon mask",
    "my wife": "a paper rose, a photo album or a jewel box", "my husband": "a key ring, a photo frame or a game board", "my mother": "a paper rose, a candle holder or a tea card",
    "my father": "a pen pot, a key ring or a tin can lamp", "my baby": "a mobile, a rattle or a soft ball", "children": "a sock puppet, a pompom monster or a paper boat",
    "my kids": "a sock puppet, a pompom monster or a paper boat", "the kids": "a sock puppet, a pompom monster or a paper boat", "my class": "a mural, a garland or a puppet show",
    "my dog": "a rope toy, a felt bone or a bandana", "my granddaughter": "a doll house, a bracelet or a puppet", "my boss": "a pen pot, a tea card or a calendar",
    "my cat": "a felt mouse, a cardboard house or a feather toy", "my neighbour": "a seed pot, a tea card or a wreath",
}
# For whatever else people have.
ANY = "a mobile, a picture frame or a garland"
MORE = ["a kite, a key ring or a little box", "a wreath, a bookmark or a night light", "a mobile, a mask or a patchwork ball"]

TITLES = ["The great {t} adventure", "Welcome to {t} town", "The big {t} surprise", "A {t} wonderland"]

IDEAS_M = """i have some {m}|i have {m}, what can i make|what can i make with {m}|what could i do with {m}|i found a bag of {m}
ideas for {m}|a project with {m}|something with {m}|we have a lot of {m} here|what can i craft from {m}|i would like to use {m}
suggest a project with {m}|i've got {m} left over|any ideas for using {m}|i want to make something out of {m}|we only have {m}
help me find a use for my {m}|what do you suggest for {m}|my drawer is full of {m}|there is {m} everywhere, what can we make
let's make something with {m}|can you think of something to make from {m}|i bought {m} and need a plan|how could we use up the {m}
give me an idea for {m}|which crafts can i do with {m}|what is a good project for {m}|i want to do some crafting with {m}
i was given {m}, now what|got {m}, need ideas|{m}, any ideas|what would you make with {m}|we collected {m} today""".replace("\n", "|").split("|")
IDEAS_O = """i want a project for a {o}|what can we make for a {o}|ideas for a {o}|i need something for a {o}|a {o} project
i want a {o} project|suggest a craft for a {o}|it is a {o}, what can we make|what can i make on a {o}|something to make for a {o}
i'd like a {o} project|can you suggest a {o} craft|we need a craft for the {o}|what is nice to make for a {o}|the {o} is coming
help me with something for the {o}|i am looking for a {o} project|any {o} crafts|what do people make for a {o}
what should we make this {o}|give me an idea for a {o}|we are planning a {o} and want to craft|do you have a {o} project""".replace("\n", "|").split("|")
IDEAS_A = """i want a project for {a}|what can i make for {a}|ideas for {a}|something to make with {a}|i want to make a gift for {a}
a present for {a}|suggest a craft for {a}|what could {a} make|i'd like to craft with {a}|what is a good project for {a}
i want to surprise {a}|can you think of something for {a}|help me find a project for {a}|a craft that suits {a}
i need an easy project for {a}|what would {a} like to make|give me an idea for {a}|i am crafting with {a} today""".replace("\n", "|").split("|")
FOR_WHOM = ["", "", " for {a}", " with {a}", " to do with {a}", " that {a} would like"]
IDEAS = """i want to make something|what should i make|give me an idea|i need a project|suggest a project|i'm bored
what can i craft|i want to craft something|any ideas|what can we make today|i'd like to do something with my hands
help me choose a project|do you have an idea for me|i don't know what to make|inspire me|suggest something""".replace("\n", "|").split("|")
NEW_IDEAS = """what else could i make|something else|give me other ideas|any other ideas|i want a new idea|more ideas|i don't like those
i'd like to make something new|what else can we do|new ideas|suggest another project|do you have more ideas|another idea
i want to try something different|what should i make next|what's next|none of these|i need a different project|let's do something else
can we think of something else|have you got another one|what other projects are there|give me some more|i fancy a new project
let us find a new project|i am ready for another project|show me other options|is there anything else i could make""".replace("\n", "|").split("|")
PICK = """i like the {x}|i want the {x}|i choose the {x}|the {x} sounds good|i'd go for the {x}|the {x}|i'll take the {x}|the {x} it is
i want to make the {x}|the {x} sounds fun|let's do the {x}|we like the {x} best|i think the {x}|the {x} then|we'll try the {x}""".replace("\n", "|").split("|")
PICK_NTH = """i like the {n} one|the {n} one|let's do the {n}|the {n} sounds good|i'll take the {n} one|number {k}|the {n} idea, please""".replace("\n", "|").split("|")
TITLE_IT = """give it a title|what should we call it|can you name it|it needs a title|find a title for it|i need a title|how about a title
think of a good title|what would be a nice name for it|name my project|can you give it a name|what's a good title|a title please
what could i call this|make up a title|please write a title for it|do you have a title for this|i want a catchy title|help me name it
can a friend write a title|now a title|let's give it a title|ask for a title|we still need a name for it|how should i call it""".replace("\n", "|").split("|")
TITLE_X = """give my {t} a title|i need a title for my {t}|what should i call my {t}|find a name for my {t}|a title for my {t}|name my {t}
write a title for a {t}|can you name my {t}|how about a title for the {t}|think of a title for my {t}|my {t} needs a title
what is a good name for my {t}|please title my {t}|make up a name for the {t}|can you come up with a title for my {t}
i made a {t} and want a title|suggest a title for a {t} project|what would you call a {t}|the {t} still needs a name""".replace("\n", "|").split("|")
FOLD = """how do i fold a {x}|how do you fold a {x}|how can i fold a {x}|how to fold a {x}|show me how to fold a {x}|teach me to fold a {x}
i want to fold a {x}|can you explain how to fold a {x}|fold a {x}|steps for a {x}|i need the steps for a {x}|how do i make a {x}
how is a {x} folded|explain the {x}|what are the steps for a {x}|i'd like to learn the {x}|help me fold a {x}|origami {x}
how do i make an origami {x}|tell me how to fold the {x}|can you teach me the {x}|give me a tutorial for a {x}|instructions for a {x}
how would i fold a {x}|let's fold a {x}|i want to learn how to make a {x}|how does one fold a {x}|could you show me the steps of a {x}
do you know how to fold a {x}|please look up the {x}|folding instructions for a {x}|what do i fold first for a {x}|and a {x}
what about a {x}|how about a {x}|walk me through the {x}|now the {x}|we want to fold a {x} next|could we do a {x} now""".replace("\n", "|").split("|")
FOLD_IT = """how do i fold it|how do i make it|how do i make that|show me how|what are the steps|how do i start|teach me how to make it
can you explain how|how is it made|i need the steps|how does that work|give me the steps|tell me how to make it|how do we begin""".replace("\n", "|").split("|")
SHOW = """show me the directions|show the directions|can i see the directions|put the directions on the screen|directions please
i want to see the directions|display the directions|can you show me the directions|let me see the directions|open the directions
i can't see the directions|where are the directions|show them on the screen|show it on the screen|put that on the screen
could you put the steps on the screen|i'd like to see the directions on the screen|bring up the directions|can i see it on the screen""".replace("\n", "|").split("|")
AGAIN = """can you repeat the steps|say that again|repeat that please|tell me the steps again|once more|what were the steps|again please
i forgot the steps|read me the steps again|could you repeat the steps""".replace("\n", "|").split("|")
STEP = """what is step {k}|what was step {k}|can you repeat step {k}|step {k} again|tell me step {k}|i don't remember step {k}
what do i do in step {k}|read me step {k}|remind me of step {k}""".replace("\n", "|").split("|")
DONE = """i finished my {x}|i have finished the {x}|my {x} is done|the {x} is ready|i made the {x}|here is my {x}|look at my {x}|this is my {x}
i just finished a {x}|i've made a {x}|my {x} is finished|i completed the {x}|we made a {x}|i folded the {x}|the {x} turned out well""".replace("\n", "|").split("|")
REVIEW = """what do you think|how did i do|can you review it|any feedback|do you like it|is it good|can i have feedback|how does it look
please review it|what can i improve|how can i make it better|could you give me feedback|tell me what you think|rate it""".replace("\n", "|").split("|")

STEP_AFTER = ["what [comes/is/do i do] after \"{s}\"", "[i did/done:/i finished:/ok,] {s}. [what next/and then/what now/next/what comes then]", "after i {s}, [what do i do/what comes next/what then]", "[and after/after] \"{s}\"", "what follows \"{s}\""]
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven"]
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]

# What can be wrong with a part, and the tip for it, which holds for any material.
PROBLEMS = {
    "uneven": "Measure both sides of the {p} and work on them in turn.", "crooked": "Lay the {p} along a ruler before you fix it.",
    "torn": "Mend the {p} from the back before it gets worse.", "too thick": "Use thinner material for the {p}.",
    "too thin": "Use two layers for the {p}.", "too long": "Shorten the {p} a little at a time.",
    "too short": "Make the {p} a little longer next time.", "too big": "Draw the {p} smaller before you begin.",
    "too small": "Draw the {p} larger before you begin.", "loose": "Pull the {p} tight before you fasten it.",
    "messy": "Tidy the {p} with small sharp scissors.", "wrinkled": "Smooth the {p} and leave it under a weight overnight.",
    "floppy": "Strengthen the {p} from the back.", "lopsided": "Mark the middle of the {p} first.",
    "sticky": "Use less on the {p} and let it dry.", "too heavy": "Make the {p} from lighter material.",
    "bent": "Straighten the {p} and leave it under a weight overnight.", "blurry": "Let the {p} dry before the next coat.",
    "wobbly": "Give the {p} a wider base.", "too tight": "Leave a little more room for the {p}.",
    "rough": "Smooth the {p} with something fine.", "coming apart": "Join the {p} again and hold it for a minute.",
    "falling off": "Fasten the {p} again and let it rest overnight.", "opening again": "Hold the {p} closed for an hour.",
}
SAME = {"not even": "uneven", "not the same size": "uneven", "not equal": "uneven", "not symmetrical": "lopsided", "ripped": "torn",
        "not straight": "crooked", "slanted": "crooked", "creased": "wrinkled", "weak": "floppy", "untidy": "messy", "limp": "floppy"}
VERBS = {"keep tearing": "torn", "keep ripping": "torn", "keep falling off": "falling off", "keep opening": "opening again",
         "won't stay closed": "opening again", "won't stay up": "floppy", "come off": "falling off", "came apart": "coming apart",
         "keep bending": "bent", "won't stand": "wobbly", "fell off": "falling off", "tore": "torn", "don't match": "uneven",
         "keep coming apart": "coming apart", "look wrong": "lopsided", "don't line up": "lopsided"}
# Faults without a specific tip. They are repeated, and one tip serves for all.
OTHER_FAULTS = """faded|dirty|dull|boring|dusty|cracked|soft|stiff|wet|scratchy|flat|smelly|empty|slippery|brittle|curled|dented|jagged
greasy|pale|dark|noisy|missing|ugly|plain|bumpy|crumpled|stained|scratched|frayed|saggy|squashed|stretched|tangled|twisted|warped|split
leaky|patchy|unfinished|invisible|chipped|peeling|puffy|rusty|shaky|shapeless|smudged|spotty|stuck|tilted|upside-down|backwards|too wide
too narrow|too soft|too stiff|too light|too dark|too bright|too flat|too loud|too plain|too high|too low|too round|too pointed|too wet
not round|not flat|not smooth|not sharp|not strong|not clean|not level|not dry|not centered|not finished|full of holes|full of glue
out of place|out of shape|the wrong colour|the wrong way round|hard to see|hard to open|bigger than the other|smaller than the others
longer than the rest|higher than the other|different from each other|still wet|still open|almost broken|in the wrong place|on the wrong side""".replace("\n", "|").split("|")
# Faults by a word in them, for the tips that the list above does not have; the first that is found decides.
STEMS = {
    r"burn|scorch|too dark": "Use less heat for the {p} and look sooner.",
    r"crack|split": "Give the {p} more time to dry or to cool.",
    r"\b(broke|broken|breaks?|breaking|snap\w*|in half|in two)\b": "Join the pieces of the {p} and support them until they hold.",
    r"drip|runny|running|bled|bleed|smear|smudg|blotch|streak": "Put less on the {p} at a time and let it dry in between.",
    r"peel|flak|blister|(n't|not|never) stick": "Clean the surface well before you put the {p} on.",
    r"bubbl": "Go slowly with the {p}, so that no air gets in.",
    r"\b(fray\w*|unravel\w*|undone)\b": "Secure the edges of the {p} before you go on.",
    r"curl|roll|flat|warp|wavy|bend|bent": "Leave the {p} under a weight overnight.",
    r"\b(wet|damp|tacky|soggy|n't dry|not dry|never dry)\b": "Give the {p} more time to dry.",
    r"apart": "Join the {p} again and hold it for a minute.",
    r"\bslip(s|ped|ping)?\b|slid|loose|came off|coming off": "Fasten the {p} in a second place.",
    r"\btip|\blean|tilt|wobb|fall|fell\b": "Give the {p} a wider base or a little support.",
    r"sag|droop|floppy|flimsy|limp|sank|sunk|sink|collaps": "Support the {p} until it holds by itself.",
    r"stuck|stick|\bjam": "Loosen the {p} slowly, a little at a time.",
    r"tear|tore|torn|\brip": "Mend the {p} from the back before it gets worse.",
    r"crooked|straight|centre|aligned|wrong place|wrong side": "Mark where the {p} will go before you fix it.",
    r"stain|fingerprint|glue|dirty|dust": "Clean your hands and the {p} before you go on.",
    r"lump|bump|rough|grain": "Smooth the {p} with something fine.",
}
OTHER_VERBS = """[keep/keeps] [sliding off/slipping/sagging/leaking/collapsing/rolling away/turning/moving/getting stuck/unfolding/cracking/fading]
[keep/keeps] [dripping/tipping over/tangling/curling up/coming loose/popping open/sticking together/sinking/breaking/falling down]
[won't/don't/doesn't/didn't/cannot/can't] [stand up/close/stay flat/stay in place/fit/move/open/stick/hold/dry/match/spin/fly/float]
[won't/don't/doesn't/didn't/cannot/can't] [fold/turn/hang straight/keep its shape/touch each other/sit right/look like a {n}/hold the {n}]
[sag/sags/slip/slips/leak/leaks/stick out/sticks out/point the wrong way/points the wrong way/fall over/falls over/hang down/hangs down]
[wobble/wobbles/squeak/squeaks/peel off/peels off/fade/fades/touch the {n}/touches the {n}/cover the {n}/covers the {n}]""".split("\n")
ANY_TIP = "Next time change one thing only, and see whether it helps."
PARTS = """wings wing head neck tail beak legs leg ears ear edges edge corners corner sides side petals petal stem roof walls wall
lid base handle strap collar sleeve seam hem button eyes eye nose mouth arms feet body fins back front top bottom point tip flap flaps
creases folds border frame hook loop knot fringe pocket cover pages spine string beads letters stripes colours lines layers sail hull
ends hands wheel wheels antennae mane hood lip rim corner piece paws claws horn horns scales spots cheeks hair hat brim sole heel toe thumb
cuff belt zip lining ruffle bow tassel chain clasp lens dial shelf door window chimney floor tower mast wheelhouse anchor bell frame glass
wick bottom lamp shade inside outside surface joint hinge pin""".split()
BAD = ["my {p} {be} {bad}", "the {p} {be} {bad}", "the {p} of my {x} {be} {bad}", "my {x} is nice but the {p} {be} {bad}", "i think the {p} {be} {bad}",
       "the {p} look {bad}", "my {x}'s {p} {be} {bad}", "help, the {p} {be} {bad}", "why {be} the {p} {bad}", "i finished the {x} but the {p} {be} {bad}",
       "the {p} on my {x} {be} {bad}", "it's done, but the {p} {be} {bad}", "how do i fix the {p}, they are {bad}", "the {p} came out {bad}",
       "the {p} turned out {bad}", "what can i do, the {p} {be} {bad}", "oh no, my {p} {be} {bad}", "my {p} {be} a bit {bad}", "my {p} {be} all {bad}"]
BAD_VERB = ["my {p} {bad}", "the {p} {bad}", "the {p} of my {x} {bad}", "my {x} is nice but the {p} {bad}", "help, the {p} {bad}",
            "i finished the {x} but the {p} {bad}", "the {p} on my {x} {bad}", "oh no, my {p} {bad}", "on my {x} the {p} {bad}"]
TIPS = {"done": "Write down how you made it, so that you can make it again.", "review": "Look at it again tomorrow with fresh eyes.", "both": "Show it to a friend and ask what they notice first."}

HELLO = ["hello", "hi", "hey", "hi there", "hello there", "good morning", "good evening", "hey you", "good afternoon", "greetings", "hiya", "hi everyone", "howdy", "hello again", "good day"]
THANKS = """thanks|thank you|thanks a lot|thank you so much|many thanks|that was helpful|great, thanks|perfect, thank you|that helps|cheers
lovely, thank you|you are very helpful|thanks for your help|thank you very much|thanks, that worked|brilliant, thanks|that's great
wonderful|nice|awesome|cool|great|i like that|love it|that's lovely|perfect|good idea|sounds good""".replace("\n", "|").split("|")
BYE = ["bye", "goodbye", "see you", "good night", "that's all", "i have to go", "see you later", "bye for now", "that is all for today", "i'm done for today", "until next time"]
WHO = """who are you|what are you|what can you do|what do you do|can you help me|how can you help|what is this|are you a robot|what's your name
tell me about yourself|introduce yourself|what do you know|what are you good at|help|how does this work|are you a person|which tools do you have""".replace("\n", "|").split("|")
OUT = """what is {n} plus {n}|what is {n} times {n}|what's the capital of {w}|who is the president of {w}|what's the weather in {w}|will it rain in {w}
translate {w} into {w}|write a poem about {w}|tell me a joke|tell me a story about {w}|what time is it|what day is it|how old is {w}
who won the {w} match|recommend a film|what should i cook tonight|how do i cook {w}|a recipe for {w}|write code in {w}|fix my {w} code
how do i install {w}|book a flight to {w}|book a table for {n}|call my {w}|send an email to {w}|play some {w} music|what is the price of {w}
should i buy {w} shares|who invented the {w}|explain {w} to me|what does {w} mean|how far is {w}|how tall is {w}|solve {n} minus {n}
what's the news|set an alarm for {n}|remind me to buy {w}|do my homework|my head hurts|my {w} hurts|i feel sad|what is the meaning of life
who wrote {w}|where is {w}|how do i get to {w}|convert {n} dollars to {w}|spell {w}|is {w} healthy|who is {w}|what is {w}|when was {w} born
turn on the lights|how many people live in {w}|write an essay about {w}|do you love me|can you drive a {w}|why is the sky blue|open {w}
how do i repair my {w}|my car won't start|what's your opinion on {w}|vote for {w}|count to {n}|sing a song|how much is {n} divided by {n}
what is the square root of {n}|summarise the {w} report|which phone should i buy|order a {w} for me|search the web for {w}|tell me about {w}""".replace("\n", "|").split("|")

# The same requests by rule: each line yields tens or hundreds of sentences.
IDEAS_M += """[what/which things/what crafts/what else] [can/could/should/might/shall] [i/we/the kids/one] [make/do/craft/create/build] [with/from/out of/using] [/some /all this /all these /all the /my /the /a pile of /a box of /leftover /lots of /our old ]{m}
[i have/i've got/we have/there is/i found/i bought/i collected/we've collected/i was given/i kept/i saved/we got/my aunt gave me/all we have is/all i have is] [/some /a lot of /lots of /a box of /a pile of /too much /loads of /plenty of /a few /a bag of ]{m}[/ at home/ left/ left over/ from last year/ from the beach/ from the garden/ and nothing to do/ and no idea/ and glue/ and scissors/, what now/, any ideas/ and some time]
[ideas/any ideas/some ideas/a project/a craft/something nice/suggestions/got anything] [for/with/using] [/some /my /all this ]{m}
[suggest/recommend/find me/give me/show me/think of/i need/i want/i'm looking for/can you suggest/could you think of/do you have/do you know/i'd love/we need] [a project/something/an idea/a craft/something to make/something fun/something nice/a nice idea/an easy project] [with/for/using/that uses/made of/made from/out of] [/some /old /my ]{m}
[what about/how about/maybe/let's use/can we use/could i use/i'd like to use/we want to use/i love/i like working with/i want to work with] [/some /the /my ]{m}
we are [stuck inside/at home/in the garden/on holiday/bored] [with/and have/and only have/and there is] [/some /lots of ]{m}[/ and glue/ and paint/ and paper]""".split("\n")
IDEAS_O += """[suggest/recommend/find me/give me/think of/i need/i want/i'm looking for/can you suggest/do you have/do you know/we need/i'd like] [a project/something/an idea/a craft/something to make/something fun/something nice/a nice idea/an easy project/a decoration] for [a/the/this/our/my/the next] {o}
[it's/it is/today is/tomorrow is/soon it is/here it is/this is] [a/our/the/such a/another] {o}[/ and we are bored/ and the kids are bored/, what can we do/, any ideas/, what shall we make/ and i want to make something]
what [can/should/could/shall/would] [we/i/the kids/you] [make/do/craft/create] [on/for/during/this/on a/for a/for the/for our] {o}
[the/our/my/a] {o} is [coming/soon/tomorrow/on saturday/next week/near][/, what should i make/, any ideas/ and i need something/, what can we do]
[any/some/got any/do you have any/show me/tell me/i need] [ideas/crafts/projects/suggestions] for [a/the/our/this] {o}
[i want/i need/i'd like/suggest/give me/we want/find me/how about/do you know/plan] a [nice /fun /little /simple /quick /][rainy /]{o} [project/craft/idea/activity]""".replace("[rainy /]", "").split("\n")
IDEAS_A += """[i need/i want/i'd like/i am looking for/find me/suggest/give me/can you think of/do you have/help me find/i have to find/we need] [a present/a gift/something/a project/a craft/an idea/something nice/a little something/an easy project/a surprise] for {a}[/, any ideas/ today/ this week/ who loves animals/ who loves gardening/ who has everything]
what [can/could/should/shall/would] [i/we] [make/craft/create/build/do] [for/with] {a}
[ideas/some ideas/any ideas/suggestions/a present/a gift/crafts/projects] [for/to make with/to do with] {a}
{a} [want/wants/would like/needs/need] [to make something/a project/to craft/something to do/to do some crafting/an idea]
[i want/i'd like/we want/i plan/i hope] to [make/craft/create] something [for/with] {a}[/ this evening/ at home/ for a change]
{a} [is/are] bored[/, help/, what can we make/, any ideas/ and we are at home]""".split("\n")
IDEAS += """[i want/i'd like/we want/i need/i feel like/i would love] [to make something/to craft/a project/some crafting/to do something creative/something to do/a new hobby]
[give me/suggest/find me/tell me/show me/do you have/can you give me/got/have you got/i need] [a/an/some/any] [idea/craft idea/ideas/craft ideas/project/projects/craft/inspiration]
what [should/can/could/shall] [i/we] [make/craft/do/create/build][/ today/ now/ this evening/ at home/ this weekend]
[i'm/i am/we are/the kids are/everyone is] [bored/so bored/looking for something to do/in the mood to craft/free today]""".split("\n")
NEW_IDEAS += """[give me/show me/tell me/do you have/have you got/are there/suggest/i want/i'd like/can i have/let's hear/any] [some /a few /][more/other/new/different/better/further] [ideas/projects/suggestions/options/crafts]
[what else/what other things/what more] [can/could/should/shall/might] [i/we] [make/do/craft/create/try/build][/ next/ now/ instead/ with that]
[let's/let us/i want to/i'd like to/i'd rather/can we/could we/we want to] [do/make/try/find/start] something [else/new/different/other]
[i don't like/i do not like/i'm not sure about/not] [those/these/any of these/any of those/them/that], [something else/another idea/what else/more please/anything else]
[what/so what] [should/shall/can/could] [we/i] [make/do/craft/try] next
[another/a new/a different/one more/yet another] [idea/project/suggestion/craft]
[back to/let's go back to/i want to go back to/can we go back to] [the ideas/new ideas/the projects/finding a project/the suggestions]""".split("\n")
PICK += """[i like/i love/i choose/i'd take/i'll take/we take/i prefer/let's go with/i'd go with/we like/i pick/we choose/i vote for/how nice,] the {x}[/ best/ idea/ most]
the {x} [sounds/seems/looks] [nice/good/great/fun/perfect/lovely/right][/ to me]""".split("\n")
PICK_NTH += """[i like/i love/i choose/i'll take/we take/i prefer/let's go with/we like/i pick] the {n} [one/idea][/ best/ most]
the {n} [one/idea] [sounds/seems/looks] [nice/good/great/fun/perfect/lovely]""".split("\n")
TITLE_IT += """[give/can you give/could you give/please give/let's give/i want to give/we should give] [it/this/that/the project/my project/our project] [a/a good/a nice/a catchy/a funny/another] [title/name]
[what/how] [should/could/can/shall/would] [i/we/you] [call/name] [it/this/that/the project/my project/our project]
[i need/it needs/we need/find/make up/think of/write/invent/suggest/come up with/i'd like/can you find/could you think of/do you have/get me/ask your friend for/ask a friend for] a [/good /nice /catchy /fun /creative /new ][title/name][/ for it/ for this/ for that/ for the project/ for my project]
[what's/what is/what would be/tell me] a [good/nice/catchy/funny/great/fitting] [title/name][/ for it/ for this/ for that/ for the project]
[name/title] [it/this/that/the project]""".split("\n")
TITLE_X += """[give/can you give/could you give/please give/let's give/i want to give] [my/the/this/our] {t} [a/a good/a nice/a catchy/a funny/another] [title/name]
[what/how] [should/could/can/shall/would] [i/we/you] [call/name] [my/the/this/our/a] {t}
[i need/we need/find/make up/think of/write/invent/suggest/come up with/i'd like/can you find/could you think of/do you have/get me/ask your friend for/ask a friend for] a [/good /nice /catchy /fun /creative /new ][title/name] for [my/the/this/our/a] {t}
[what's/what is/what would be/tell me] a [good/nice/catchy/funny/great/fun/fitting] [title/name] for [my/the/this/our/a] {t}
[name/title] [my/the/this/our] {t}
i [made/built/finished/have/sewed/painted/knitted] a {t}[. / and i /, ][what should i call it/what do i call it/it needs a name/it needs a title/i need a title]""".replace("[. / and i /, ]", ", ").split("\n")
FOLD += """[how do i/how do you/how can i/how would i/how does one/how should i/how do we/how to/how would you/how am i supposed to] [fold/make/create/build/do] [a/an origami/the/one of those/this/my own/a simple/an easy/a little/a paper/a nice] {x}
[can you/could you/would you/will you/please/can someone] [show me/teach me/tell me/explain to me/explain/help me with/help us with] [how to fold/how to make/how i fold/the steps for/the folds of/the way to fold/folding] [a/the/an origami/a paper] {x}
[i want/i'd like/i would love/i'd love/i need/we want/we'd like/i am trying/i am going/i hope/i was going] to [fold/learn how to fold/learn/try to fold/make/try folding/know how to fold] [a/the/an origami/a paper] {x}
[teach me/show me/explain/give me/tell me/i need/find/look up/get me/read me/do you have/can you look up/can you find/could you look up] [the steps for/how to fold/folding instructions for/instructions for/the folding steps of/a tutorial for/the folds for/the steps of] [a/the/an origami] {x}
[what is/what's/whats/tell me/show me] [the/an/a] [easiest/best/right/quickest/usual/easy/simple/good] way to [fold/make] [a/the/an origami] {x}
is there [a way/an easy way/a simple way/a tutorial/any way] [to fold/to make/how to fold] [a/the] {x}
[what about/how about/and/now/next/then/can we do/can we fold/could we make/could we fold/let's fold/let us fold/now fold/fold me/i fancy] [a/the/an origami/one] {x}[/ together/ next/ now/ instead/ too]
{x} [please/folding steps/steps/tutorial/origami/instructions/folding instructions]
[do you know/do you have/have you got/is there] [the steps for/instructions for/a tutorial for/how to fold/a way to fold] [a/the] {x}
[i don't know/i can't remember/i forgot/i have no idea/nobody knows/i never learnt] how to [fold/make] [a/the] {x}
my [son/daughter/friend/teacher/mum/class/sister] [wants to fold/wants to make/would like to fold/asked for/wants to learn] [a/the] {x}
how [is/are] [a/the/those] {x} [made/folded/done]
[look up/search for/find/can you look up/please look up] [a/the] {x}[/ for me/ in the database/ in your database]""".split("\n")
FOLD_IT += """[how do i/how do you/how can i/how would i/how should i/how do we] [fold/make/build/do/start/begin with] [it/this/that/one]
[can you/could you/would you/please] [show me/teach me/tell me/explain] [how to fold it/how to make it/the steps/how to do it/how it is made/how to do that]
[i need/give me/tell me/show me/what are/i want/i'd like] the [steps/folding steps/instructions/folds][/ for it/ for that/ for this]""".split("\n")
SHOW += """[show me/show us/show/display/open/bring up/let me see/let us see/can you show me/could you show/can i see/could i see/i want to see/i'd like to see/i need to see/please show/may i see/give me/let me have] [the/those/my/all the] directions[/ on the screen/ on my screen/ on screen/ on the display/ again/ here]
[put/can you put/could you put/please put/get] [the directions/the steps/it/them/that/the instructions] on [the/my/a bigger/our] screen""".split("\n")
AGAIN += """[can you/could you/please/would you] [repeat/say/tell me/read me/give me] [that/the steps/all the steps/everything/the instructions] [again/once more/one more time]""".split("\n")
STEP += """[can you/could you/please/would you] [repeat/say/tell me/read me/explain] [step/number] {k}[/ again/ once more/ one more time]
[what/tell me what] [is/was/comes in] [step/number] {k}[/ again]
[i don't understand/i didn't get/i missed/i forgot/i am stuck at] step {k}""".split("\n")
DONE += """[i/we/my son/my daughter/the kids] [finished/made/completed/have finished/just finished/folded/have made/built/painted/knitted/sewed/have built/just made/managed to make] [my/the/a/this/our/my first] {x}[/ today/ at last/ myself/ with my son/ with my daughter]
[here is/here's/look at/this is/see/take a look at/have a look at/check/check out] [my/the/our/this] {x}[/ that i made/ i made/ we made]
[my/the/our/this] {x} is [done/finished/ready/complete]
[can you/could you/would you/please] [review/judge/look at/check/rate/comment on] [my/the/our/this] {x}
[what do you think of/how do you like/do you like/how good is/any feedback on/give me feedback on/i want feedback on/tell me what you think of] [my/the/our/this] {x}""".split("\n")
REVIEW += """[can you/could you/would you/please/can someone] [review/judge/look at/check/rate/comment on] [it/this/that/my work/what i made/the result]
[what do you think of/how do you like/do you like/any feedback on/give me feedback on/i want feedback on/tell me what you think of] [it/this/my work/what i made/the result]
[how/what] can i [improve/do better/change/make better][/ next time/ here]""".split("\n")
BAD += """[my/the/our/all the/both/one of the] {p} [is/are/look/looks/got/came out/turned out/ended up/seems/seem/keep getting/became] [/a bit /very /all /slightly /so /really /rather ]{bad}[/, help/, what can i do/, what now/ again/, any tip/ and i don't know why]
the {p} [of/on] [my/the/our] {x} [is/are/look/looks/got/came out/turned out/ended up/seem] [/a bit /very /all /slightly /so /really /rather ]{bad}[/, help/, what can i do/ again/, any tip]
my {x}'s {p} [is/are/look/looks/got/came out/turned out] [/a bit /very /all /slightly /so /really ]{bad}
[how do i fix/how can i fix/how do i repair/what can i do about/what helps against/i have] [/my /the /a ]{bad} {p}
[my/the/our] {x} has [/a /very /slightly ]{bad} {p}
[i made/i finished/i folded/here is] [a/my/the] {x}, but the {p} [is/are/came out/turned out/look] {bad}""".split("\n")
BAD_VERB += """[my/the/our/all the/both] {p} {bad}[/, help/, what can i do/, what now/ again/ all the time]
the {p} [of/on] [my/the/our] {x} {bad}[/, help/, what can i do/ again]""".split("\n")
HELLO += """[hello/hi/hey/good morning/good evening/hi there/hello there/good afternoon][/ friend/ everyone/ assistant/ you/ again/ to you/ my friend][/, nice to meet you/, how are you/, i am new here/, is anyone there/, it's me]
[nice/good/lovely] to [meet/see] you
how are you[/ today/ doing]""".split("\n")
THANKS += """[thanks/thank you/many thanks/cheers][/ a lot/ so much/ very much/ for that/ for your help/ for the help/ for everything][/, that was great/, that helps/, you are great/, i like it/, well done]
[that was/that is/that's/this is/it was/you are/you've been/you were] [/very /really /so /most ][helpful/great/nice/lovely/kind/good/wonderful/perfect]""".split("\n")
BYE += """[bye/goodbye/see you/good night][/ bye/ then/ for now/ everyone/ tomorrow/ soon]
[i have to go/i must go/i need to leave/that's it/that is all/i'm finished][/ now/ for today/ for now]""".split("\n")
WHO += """[who/what] [are you/am i talking to/is this/exactly are you/do i talk to]
what [exactly /else /][can you do/do you do/can you help with/do you know/can i ask you/are you able to do/are you for][/ for me/ for us/ here]
[tell me/explain/i want to know] [who you are/what you are/what you can do/what you do/about you/how you can help]
are you [a/an] [robot/person/human/computer/machine/assistant/expert/program]
[do you have/what is/tell me] [a name/your name/your job/your purpose/your task]""".split("\n")
OUT += """[what is/what's/tell me/do you know/who knows] the [capital/population/president/language/flag/history/king/currency/time/weather/price] [of/in] {w}
[what is/how much is/calculate/work out/compute/tell me] {n} [plus/times/minus/divided by/and/percent of] {n}
[who/when] [invented/discovered/wrote/won/painted/founded/built/killed/played in] [the/a/] {w}[/ in 1998/ last year/ the last time]
[what is/how is/will it be/is it] [the weather/sunny/cold/warm/raining/windy][/ today/ tomorrow/ in {w}/ outside/ next week]
[write/can you write/please write] [me /][a poem/a letter/an email/a story/an essay/a song/a script/a program/code/a report] [about/for/that sorts/in] {w}
[i need help with/help me with/can you help with/do] my [taxes/homework/maths/computer/phone/car/garden/{w} account/tax return/job/diet/rent/bike]
[how do i/how can i/how to] [lose weight/cook {w}/get to {w}/learn {w}/fix my car/install {w}/invest money/stop smoking/get a job/bake {w} bread/sleep better/find a doctor/sell my house/drive to {w}/use {w} software]
[where/when] [is/was/can i buy/do i find/does] [the/a/my] {w}[/ open/ born/ station/ museum]
[recommend/suggest/find/book/order/buy] [me /][a film/a restaurant/a hotel in {w}/a flight to {w}/a doctor/a song/a phone/a taxi/a pizza/a novel]
[what is/what's] the best [restaurant/film/pizza/phone/team/car/school/song] [in town/in {w}/this year/ever/of all]
[translate/say/spell/pronounce] {w} [in/into] [french/german/spanish/latin/chinese/{w}]
[why/how] [is/are/do/does] [the sky blue/people sleep/planes fly/{w} expensive/the {w} work/stars shine/computers work/water freeze]
[who is/who was/tell me about/what do you think about/what is the news about] {w}[/ the second/ the great/ united/ company]""".replace("[me /]", "").split("\n")

# Days with a name and no article, so that sentences about them have none either.
NAMED_DAYS = """christmas|halloween|easter|winter|spring|autumn|summer|new year|valentine's day|mother's day|father's day|carnival|hanukkah|diwali|advent
midsummer|sunday|friday|next month|bonfire night|ramadan|pancake day|chinese new year|pentecost|harvest|boxing day|july|december""".replace("\n", "|").split("|")
IDEAS_DAY = """[any/some/got any/do you have/give me/i need/i want/good] <ideas> for {d}
<idea> for {d}<pls>
{d} [craft/crafts/project/projects/ideas/decorations][/ please/, please]
what [can/could/should/shall] [i/we/the kids/my class] [make/craft/do/build/prepare] [for/before] {d}
<can> [suggest/recommend/think of/find/name] <thing> for {d}
<want> to [make/craft/build/prepare] <thing> for {d}
{d} is [near/almost here/not far away/on its way/in three weeks/only days away/my favourite time][. ideas/, and i have nothing yet/. what do people make/ and we want to craft/. any suggestions/]
[we're celebrating/we celebrate/we prepare for/getting ready for/we are looking forward to] {d}[/. what should we make/ with the kids/ at school/. suggestions]
[soon/tomorrow/next week] it's {d}[/. what can we craft/ and we have no decorations/. give me an idea]
[something/anything] [nice/fun/quick/easy/small] for {d}
crafting for {d}
what would you [make/craft/suggest] for {d}""".split("\n")
IDEAS_A_DAY = ["[i want/i'd like/i need/we want/suggest/find me/show me] a {d} [project/craft/idea/activity]", "[a/one more/another/some] {d} [craft/project/decoration]<pls>"]
# People and the reason; the answer is about the people.
IDEAS_NEWS = """{a} [has passed the exam/got married/starts school/won a prize/moved house/broke an arm/had a baby/got a new job/is ill/learns to sew][, what could i make/. what can i make/. ideas/. any suggestions/. i want to make something]
{a} [turns/will be] [five/seven/ten/thirty/fifty/eighty] [soon/tomorrow/on sunday/in may][, what could i make/. what can i make/. ideas/. any ideas for a gift]
<idea> for {a} who [likes/loves/collects/dreams of/cannot get enough of/is crazy about] {g}s
[a gift/a present/something/a surprise] for {a} who [likes/loves/collects/draws/keeps] {g}s[/, please/. ideas]
{a} [loves/likes/collects/keeps] {g}s[, what could i make/. what would be a nice gift/. what can we craft]
i [want/would like/need] to [thank/cheer up/surprise/welcome] {a} with something [handmade/small/homemade]
{a} helped me [a lot/move/with my exam/in the garden] and i want to [say thanks with a craft/make a present/give something back]""".split("\n")

# Sentences about anything at all: {e} is something that no craft agent knows.
EVERYDAY = """bank|passport|invoice|tyre|engine|visa|hotel|airport|lawyer|medicine|vaccine|fever|tooth|salary|mortgage|insurance|server|laptop|printer
keyboard|browser|spreadsheet|galaxy|volcano|ocean|river|mountain|continent|election|minister|parliament|war|treaty|movie|concert|stadium|goalkeeper
tennis match|orchestra|soup|steak|curry|cheese|wine|bus|taxi|ferry|motorway|fridge|oven|washing machine|vacuum cleaner|sofa|lawn|loan|tax|court
degree|exam|university|scientist|president|singer|actor|football team|gym|sandwich|salad|tea|virus|allergy|headache|diet|plumber|electrician|camera
app|website|email|phone number|credit card|stock|currency|satellite|atom|dinner|breakfast|holiday flight|ticket|parcel|neighbourhood|museum|subway""".replace("\n", "|").split("|")
OUT += """[my/our/the] [phone/laptop/tablet/battery/phone battery/car/engine/wifi/router/tv/fridge/dishwasher/washing machine/boiler/heating/toilet/sink/tap/shower/drain/bike/tyre/dog/cat/knee/back/tooth/stomach/skin/lawn/boss/password/printer/email/app/internet/bank card/landlord/neighbour/baby/flight/train/bus/exam/headset/microwave/oven/computer] [is broken/doesn't work/won't start/is dead/is too slow/is late/makes a noise/hurts/is blocked/is cold/is too warm/keeps crashing/is sick/is angry/was stolen/got lost/is too expensive/stopped working/needs repair/won't turn on/is leaking/is full/keeps beeping/worries me][/, help/, any idea why/, what can i do/. what now/ since yesterday/ again]
[can/could/will/would] you [lend/check/pay/call/drive/wash/book/order/send/buy/fix/cancel/clean/print/find/show] [me/my/the] [ten pounds/bank balance/account/rent/doctor/car/a taxi/train times/a flight/inbox/emails/bill/dog/computer/ticket/map/news][/ please/ today/ for me]
[do/does/can/will] [you/anyone here/this app/your company] [know/sell/like/need/have/speak about/understand/own/repair] [a/any/the/some/my] {e}
[how/where/when/why] [do/did/can/should/will] [i/we/people/they] [buy/repair/get/find/clean/charge/pay for/visit/cancel/rent/choose/sell] [a/the/my/some/our] {e}
[which/what] {e} is [the best/the oldest/the fastest/cheap/better/the tallest/famous/the most expensive]
is [the/a/my/this] {e} [healthy/safe/far/expensive/open today/dangerous/real/worth it]
[who/what/where] [is/was] the [first/last/largest/best/nearest/next] {e}
[should/can/may/could/must] i [eat/drink/buy/sell/wear/invest in/trust/pay/book/see] [a/the/my/that] {e}[/ today/ before bed/ next week]
[write/send/print/order/book/call/cancel/play/open/read/download/fix/explain] [a/the/my/an/this] {e}[/ for tomorrow/ at noon/ right now/ for me]
[what/how much/how many] [happens in/does it cost to get/people work in/is in/costs/are in] [a/the/my/every] {e}
[tell me/explain/describe/i want to know/please explain/i need to know] [all about/the history of/what you know of/the price of/the rules of] [the/a] {e}
[my/our] {e} [hurts/is late/is lost/got stolen/has an error/expired/is too slow][/, what can i do/, help/, who can help]""".split("\n")
THANKS += """[you helped/that helped/this helped] [me/us/a lot/me a lot/us so much]
i [appreciate it/am grateful/am very happy with that/owe you one]
[much obliged/amazing/super/excellent/fantastic/well explained/exactly what i needed/just what i wanted/very clear]""".split("\n")
BYE += """[talk to you later/have a nice day/take care/time to go/catch you later/i'm off/we're off/farewell/until tomorrow/so long]""".split("\n")
WHO += """[what is it that you do/what are your skills/what are you capable of/how do you work/why are you here/what is your purpose]
[which questions/what kind of questions/what requests] [can you answer/do you answer/may i ask/do you understand]""".split("\n")
DONE += """[i am/we are/i'm] [proud of/pleased with/happy with/done with/finished with] [my/our/the] {x}
[does/do you think] [my/our/the] {x} [looks right/looks good/look right/look good/is good enough]
[my/our/the] {x} turned out [nice/great/okay/better than expected/a little odd/beautiful]""".split("\n")
FOLD += """[i am/we are/i'm] [stuck on/struggling with/curious about/working on] [the/a/an origami] {x}
[origami/a folded/a paper] {x} for [beginners/my class/a card/tomorrow]
[i saw/we saw/there was] [a/an origami] {x} [in a book/at school/in a shop/online], how do i fold one
what [is involved in/do i need for/goes into] [folding/making] [a/the/an origami] {x}""".split("\n")
BAD += """[why/how come] [is/are] [the/my] {p} [of my {x} /][so/always/all] {bad}
[something is wrong with/there is a problem with/i have trouble with/i messed up/look at] [the/my/our] {p}, [it is/they are/it's/they're] {bad}""".replace("[of my {x} /]", "").split("\n")

OPENERS = ["ok, ", "hey, ", "hi, ", "please ", "so, ", "well, ", "great, ", "hmm, ", "good, ", "now ", "thanks, ", "um, ", "alright, ", "oh, ", "ok ", "so ", "and ", "sorry, ", "one more thing, "]
TAILS = [" please", ", please", " now", " today", " if you can", ", thanks", " for me", " then", " quickly", ", okay"]
for kind in "IDEAS_M IDEAS_O IDEAS_A IDEAS NEW_IDEAS PICK PICK_NTH TITLE_IT TITLE_X FOLD FOLD_IT SHOW AGAIN STEP REVIEW DONE BAD BAD_VERB HELLO THANKS WHO BYE OUT OPENERS TAILS".split():
    globals()[kind] += getattr(voices, kind)

YES = """[yes/yeah/yep/yes please/yes, please/sure/ok/okay/please/please do/of course/why not/sure, why not/absolutely/definitely/gladly/yes of course/oh yes/go ahead/do it/sounds good, yes/that would be nice/i'd like that/i would/yup/alright/all right/y/yes!/yes sure/yess/sure thing/yes i would/yes, i'd love one/yes do that/good idea, yes/mhm/ok please/ok go on/right, yes/i do]
[yes/yeah/sure/ok/okay], [please/go ahead/do that/why not/let's do that/that would be great/i'd like that/i would like that/thanks/thank you/let's hear it/go on]""".split("\n")
NO = """[no/nope/nah/no thanks/no, thanks/no thank you/not now/not really/no need/not today/maybe later/later/rather not/no, not now/i don't need one/no that's fine/no i'm good/i'm good/it's fine/not necessary/n/no!/no, thank you/no it's ok/never mind/no, leave it/i'd rather not]
[no/nope/nah], [thanks/thank you/not now/maybe later/it's fine/i'm good/that's all right/not today/i don't need that]""".split("\n")
# What there is in the database.
MODELS = """[what/which] [models/figures/origami/origami models/paper models/animals/shapes/things/tutorials/folds] [do you know/can you fold/are there/do you have/can you explain/can you teach/are in the database/have you got/can i fold/could i fold/does the tutorial know/can you show me/are available/do you offer][/ here/ please/, please]
[list/show me/tell me/name/give me/read me/i want to see/i'd like to see/can you list/could you tell me/please list] [all/all the/the/your/all your/every one of your/the names of the/the names of all/the list of] [models/figures/origami models/models you know/models in your database/models you can fold/animals you can fold/tutorials]
what [can you/do you know how to/else can you/can one/can we/are you able to/could you] fold[/ here/ for me/ with me/ apart from that/ at all]
what [is/do you have/have you got/exactly is/all is] in [the/your/the origami/this] [database/collection/list/book]
[is there/do you have/can i see/have you got] [a/the/some] [list/overview/menu/catalogue] of [models/figures/what you can fold/the models/all models/origami]
[i want/i'd like/we want/we'd like/i would love] to fold [something/anything/an animal/a flower/something easy][, what do you know/, what is there/, what have you got/. what can you fold/. which models are there/, what are my options]
[how many/which other/what other/which more] [models/figures/things] [do you know/can you fold/are there/do you have]""".split("\n")
DEED = ["[help/oops/oh no/damn/sorry/oh dear/well/hmm/so], i {deed}[/, what now/, how do i fix it/. any tips/, can you help]", "i [think i/believe i/am afraid i/guess i] {deed}", "i [made/finished/built/sewed/baked/knitted/painted] a {x}[, but/ and/. sadly] i {deed}", "[my/the] {x} is [done/finished/nearly ready/nice], but i {deed}"]
FLAW = ["[there is/there are/i have/i've got/i see/i found/i keep getting/i noticed/there might be] {flaw} [in/on/under/along/inside/around/at] [the/my] {p}[/, help/, what now/. any tips/ and i don't know why]", "[my/the] {x} [has/got/ended up with/came out with] {flaw} [in/on/under/along/inside/around/at] the {p}", "how [do/can/could] i [fix/hide/remove/avoid/cover/repair/prevent/get rid of] {flaw} [in/on/under/along/at] [the/my] {p}"]
STOP = ["how [do/can/could/would] i [stop/keep/prevent] [the/my] {p} from {deed}[/ again/ next time/ all the time]", "[my/the] {p} [keeps/keep/won't stop/is always/are always] {deed}[/, help/, what now/, why/. any tips/ and i don't know why]", "the {p} [of/on] my {x} [keeps/keep/won't stop/started] {deed}"]
BETTER = ["how [do/can/could/would] i [get/make] [the/my] {p} {deed}[/ next time/ on a {x}]", "[i want/i'd like/i need] the {p} [/to be ]{deed}", "[my/the] {p} [should/could/ought to] be {deed}[/, how/, any tips]"]

# What each agent says about itself.
ROLES = {
    "brainstorm": dict(
        hello="Hello! I suggest craft projects. What do you have to work with?",
        who="I suggest craft projects and find titles for them. What do you have to work with?",
        out="Sorry, I only know craft projects. Would you like an idea for one?",
        thanks="You are welcome! Would you like another idea?", no="All right! Tell me when you want another idea.", bye="Goodbye, and have fun with your project!"),
    "tutorial": dict(
        hello="Hello! I explain how to fold origami. What would you like to fold?",
        who="I explain how to fold origami models, step by step. What would you like to fold?",
        out="Sorry, I only know origami. Which model would you like to fold?",
        thanks="You are welcome! Enjoy folding.", no="All right! Enjoy folding.", bye="Goodbye, and enjoy folding!"),
    "coach": dict(
        hello="Hello! I give feedback on craft projects. What did you make?",
        who="I look at craft projects and give one tip for each. What did you make?",
        out="Sorry, I only give feedback on craft projects. What did you make?",
        thanks="You are welcome! Keep up the good work.", no="All right! Keep up the good work.", bye="Goodbye, and keep up the good work!"),
}

# The content of the shipped tutorial's database, word for word.
DATABASE = {
    "crane": ["Fold the square in half.", "Fold the upper layer to form the neck.", "Fold the lower layer to form the tail.", "Pull each wing to the left and to the right."],
    "boat": ["Fold the sheet in half.", "Fold each corner to the middle.", "Open the model and press the tip upward."],
    "fox": ["Fold the square in half.", "Fold each corner to the tip.", "Turn the model over.", "Fold the tip downward to form the head."],
    "tulip": ["Fold the square in half.", "Fold each corner upward.", "Tuck the flap into the pocket."],
    "butterfly": ["Fold the square in half.", "Open each wing to the left and to the right.", "Press the tip downward."],
}
WHAT = {"brainstorm": "suggests projects", "tutorial": "explains how to fold a model", "coach": "reviews finished work"}
OTHER_WHAT = {"brainstorm": ["suggests craft projects", "has new ideas", "finds projects to make", "suggests new projects"],
              "tutorial": ["gives folding steps", "teaches the folds", "knows folding steps", "writes folding tutorials"],
              "coach": ["gives feedback", "gives feedback on your work", "looks at what you made", "helps fix problems with a project"]}
ALIAS = {"brainstorm": ["brainstorm", "brainstorm", "planner", "ideas", "inventor"], "tutorial": ["tutorial", "tutorial", "teacher", "guide", "instructor"],
         "coach": ["coach", "coach", "reviewer", "critic", "mentor"]}
TOOLS = {
    "baton": (["pass_baton", "hand_over", "switch_agent", "transfer"], ["Give control to a different agent", "Pass the baton to another agent", "Let another agent take over", "Switch to another agent"]),
    "title": (["generate_title", "make_title", "ask_for_title", "title_friend"], ["Ask a friend to write a project title.", "Make up a title for a craft project.", "Ask a friend to name the project.", "Get a title from a friend."]),
    "query": (["query_origami_database", "search_folds", "look_up_model", "find_origami"], ["Look up the folding steps of a model.", "Query the origami database for folding steps by name.", "Find how to fold a figure.", "Search the database of origami models."]),
    "show": (["show_directions", "display_directions", "open_directions"], ["Display the directions to the user.", "Shows the current directions.", "Put the directions on the screen."]),
    "final": (["give_final_answer", "give_final_answer", "final_answer", "respond"], ["Call this when you have the answer.", "Reply to the user and stop.", "Give the final answer to the user."]),
}
DISTRACTORS = [("get_weather", "Look up the current weather.", "city"), ("save_note", "Remember a short note.", "text"), ("set_timer", "Start a countdown timer.", "minutes"),
               ("check_stock", "Look in the supply cupboard.", "item"), ("send_photo", "Share a picture with someone.", "person"), ("pick_color", "Choose a paper color.", "color"),
               ("open_gallery", "Open the gallery of finished projects.", ""), ("translate", "Translate one word.", "word"), ("add_to_list", "Add an item to the shopping list.", "item"),
               ("play_music", "Play a song.", "song"), ("roll_dice", "Roll a die.", ""), ("find_shop", "Find shops nearby that sell supplies.", "item")]
REASONS = ["it did not answer in time", "the model could not be loaded", "it ended without an answer", "the process died", "there is no time left", "the cap on calls is reached", "it is not available"]
VERBS_OF_FOLDING = "Fold Open Turn Press Tuck Pull Crease Flip Bring Push Lift Squash Unfold Rotate Slide Make Form Bend Repeat Cut".split()
PLACES = """the square|the paper|each corner|the top layer|the lower edge|both sides|the left flap|the right flap|the tip|the model|the upper layer|each wing|the sheet
the triangle|the pocket|the back|one corner|the bottom edge|both flaps|the point|the head|the tail|the neck|the lower layer|the front""".replace("\n", "|").split("|")
ENDS = """in half|to the middle|upward|downward|to the left|to the right|over|behind|inside|along the crease|to the center|into the pocket|toward you|and unfold|to form the head|to form the tail
to form the neck|and press firmly|on the other side|to the tip|diagonally|away from you|to meet the edge|flat|to the left and to the right|halfway|once more""".replace("\n", "|").split("|")
